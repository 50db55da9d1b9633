package org.pgbaton.chaos;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgbaton.chaos.targets.Brokers;
import org.pgbaton.chaos.targets.Target;
import org.pgbaton.chaos.worker.Part;

/** What Baton is doing while something happens to it. */
enum Scenario {
    /** Processes that compete for a leadership; whoever leads writes under its guard. */
    LEADERSHIP(Part.LEADERSHIP),
    /** A projection in order for each key. */
    PROJECTION(Part.PROJECTION),
    /** A projection in total order. */
    TOTAL(Part.TOTAL),
    /** A reaction. */
    REACTION(Part.REACTION),
    /** A relay to an endpoint over HTTP. */
    WEBHOOK(Part.WEBHOOK),
    /** A relay to Kafka, exactly once. */
    KAFKA(Part.KAFKA),
    /** A relay to Kafka, at least once. */
    KAFKA_AGAIN(Part.KAFKA_AGAIN),
    /** A relay to RabbitMQ. */
    RABBITMQ(Part.RABBITMQ),
    /** A relay to NATS. */
    NATS(Part.NATS),
    /** A capture of a table, and a projection of its log. */
    CAPTURE(Part.CAPTURE),
    /** A projection that is rebuilt beside the live one, and takes its place. */
    REBUILD(Part.REBUILT, Part.REBUILD),
    /** Projections of a log whose old rows are removed as soon as they may be. */
    RETENTION(Part.PROJECTION, Part.TOTAL),
    /** A table of the user with writers and a relay, which is adopted in the midst of it, given back, and adopted again. */
    ADOPTION(Part.PROJECTION, Part.WEBHOOK),
    /** All of them in the same processes. */
    EVERYTHING(
            Part.LEADERSHIP,
            Part.PROJECTION,
            Part.TOTAL,
            Part.REACTION,
            Part.WEBHOOK,
            Part.KAFKA,
            Part.KAFKA_AGAIN,
            Part.RABBITMQ,
            Part.NATS,
            Part.CAPTURE);

    private static final String TABLES = """
            CREATE TABLE public.handled (
              nr bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, subscription text NOT NULL, position bigint NOT NULL, key text NOT NULL,
              at timestamptz NOT NULL DEFAULT clock_timestamp());
            CREATE TABLE public.guarded (nr bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, epoch bigint NOT NULL, who text NOT NULL);
            CREATE TABLE public.reacted (
              nr bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key text NOT NULL, id text NOT NULL, epoch bigint NOT NULL);
            CREATE TABLE public.failing (key text PRIMARY KEY);
            CREATE TABLE public.account (key text PRIMARY KEY, version bigint NOT NULL);
            -- What was committed to the log, also when the log does not have it any more.
            CREATE TABLE public.written (position bigint PRIMARY KEY, key text NOT NULL, id text NOT NULL);
            CREATE FUNCTION public.write_down() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN INSERT INTO public.written VALUES (new.position, new.key, new.id); RETURN NULL; END $$;
            CREATE TRIGGER write_down AFTER INSERT ON baton.events FOR EACH ROW EXECUTE FUNCTION public.write_down()""";

    @SuppressWarnings("ImmutableEnumChecker") // List.of
    private final List<Part> parts;

    Scenario(Part... parts) {
        this.parts = List.of(parts);
    }

    /** As on the command line. */
    String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    List<Part> parts() {
        return parts;
    }

    boolean has(Part part) {
        return parts.contains(part);
    }

    /** Why it cannot be run on this machine; null if it can. */
    @Nullable
    String missing() {
        return parts.stream()
                .map(Brokers::missing)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** Whether its messages can be written for as long as one likes; an adoption is one event, and a leadership has none. */
    boolean hasMessages() {
        return this != LEADERSHIP && this != ADOPTION && this != REBUILD;
    }

    boolean hasTarget() {
        return parts.stream().anyMatch(Part::hasTarget);
    }

    /** Whether nothing is promised against a message that comes again. */
    boolean mayComeAgain() {
        return parts.stream().allMatch(Part::mayComeAgain);
    }

    /** Whether some of its keys can be made to fail; where keys that are captured or rebuilt are skipped, nobody could judge. */
    boolean canFail() {
        return this != REBUILD && (has(Part.PROJECTION) || has(Part.TOTAL) || has(Part.REACTION) || has(Part.WEBHOOK));
    }

    /** Whether everything in it can be handled again, by the same relay. */
    boolean keepsItsLog() {
        return this != RETENTION && this != ADOPTION;
    }

    void prepare(World world) throws SQLException {
        world.database().execute(TABLES);
        if (this == ADOPTION) {
            OldOutbox.create(world);
        }
    }

    /** What subscriptions read. */
    String log() {
        return this == ADOPTION ? OldOutbox.LOG : "events";
    }

    /** What writers write to; it has the columns {@code key} and {@code payload}. */
    String table() {
        return this == ADOPTION ? OldOutbox.TABLE : "baton.events";
    }

    /** How much has been done so far: rows that handlers wrote, and messages that arrived. */
    long done(World world) throws Exception {
        long done = Long.parseLong(world.database().one("""
                SELECT (SELECT count(*) FROM public.handled) + (SELECT count(*) FROM public.guarded) + (SELECT count(*) FROM public.reacted)"""));
        for (Target target : world.targets()) {
            done += target.count();
        }
        return done;
    }

    /** Whether there is enough to be disturbed by a fault. */
    boolean isBusy(World world, long atLeast) throws Exception {
        return (this != ADOPTION || done(world, OldOutbox.OLD_RELAY) >= atLeast) && hasTraffic(world, atLeast);
    }

    /** Whether every part of it has done so much. */
    boolean hasTraffic(World world, long atLeast) throws Exception {
        for (Target target : world.targets()) {
            if (target.count() < atLeast) {
                return false;
            }
        }
        for (Part part : parts) {
            if (!part.hasTarget() && done(world, part) < atLeast) {
                return false;
            }
        }
        return true;
    }

    private static long done(World world, Part part) throws SQLException {
        return Long.parseLong(
                switch (part.kind()) {
                    case LEADERSHIP -> world.database().one("SELECT count(*) FROM public.guarded");
                    case REACTION -> world.database().one("SELECT count(*) FROM public.reacted");
                    default -> Long.toString(done(world, part.subscription()));
                });
    }

    private static long done(World world, String who) throws SQLException {
        return Long.parseLong(world.database().one("SELECT count(*) FROM public.handled WHERE subscription = ?", who));
    }

    /** @param disturbances how often something broke that had messages in flight */
    Invariants.Expected expected(int disturbances, Attack attack) {
        Map<String, Boolean> projections = new LinkedHashMap<>();
        Map<String, Boolean> targets = new LinkedHashMap<>();
        for (Part part : parts) {
            switch (part.kind()) {
                case PROJECTION -> projections.put(part.subscription(), part == Part.TOTAL);
                case REACTION, AT_LEAST_ONCE -> targets.put(part.subscription(), false);
                case EXACTLY_ONCE -> targets.put(part.subscription(), true);
                default -> {
                    // Judged by what it wrote alone.
                }
            }
        }
        boolean rewound = attack.has(Fault.REWIND);
        // Two workers of each process, each with a batch of 50 that is not closed.
        int again = rewound ? Integer.MAX_VALUE : disturbances * World.WORKERS * 2 * 50;
        return new Invariants.Expected(
                projections,
                targets,
                has(Part.REBUILT) ? Part.REBUILT.subscription() : "",
                attack.isOnce() ? undisturbed(attack.faults().get(0)) : Set.of(),
                attack.has(Fault.STORM) ? TargetFaults.FAILING : Set.of(),
                again,
                rewound);
    }

    /** Projections that go on while a target is away, or other keys fail. */
    private Set<String> undisturbed(Fault fault) {
        Set<String> all = new LinkedHashSet<>();
        if (this == ADOPTION) {
            return all; // while the old relay drains, nothing goes on
        }
        if (has(Part.PROJECTION) && fault.isPartial()) {
            all.add(Part.PROJECTION.subscription());
        }
        if (has(Part.TOTAL) && fault.isPartial() && fault != Fault.STORM) {
            all.add(Part.TOTAL.subscription());
        }
        return all;
    }

    static List<String> titles() {
        List<String> titles = new ArrayList<>();
        for (Scenario each : values()) {
            titles.add(each.title());
        }
        return titles;
    }
}
