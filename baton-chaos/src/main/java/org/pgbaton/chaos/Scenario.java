package org.pgbaton.chaos;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What Baton is doing while something happens to it. */
enum Scenario {
    /** Processes that compete for a leadership; whoever leads writes under its guard. */
    LEADERSHIP(Part.LEADERSHIP),
    /** A projection in order for each key. */
    PROJECTION(Part.PROJECTION),
    /** A projection in total order. */
    TOTAL(Part.TOTAL),
    /** A relay to an endpoint over HTTP. */
    WEBHOOK(Part.WEBHOOK),
    /** All of them in the same processes. */
    EVERYTHING(Part.LEADERSHIP, Part.PROJECTION, Part.TOTAL, Part.WEBHOOK);

    private static final String TABLES = """
            CREATE TABLE public.handled (
              nr bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, subscription text NOT NULL, position bigint NOT NULL, key text NOT NULL);
            CREATE TABLE public.guarded (nr bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, epoch bigint NOT NULL, who text NOT NULL);
            CREATE TABLE public.failing (key text PRIMARY KEY)""";

    @SuppressWarnings("ImmutableEnumChecker") // List.of
    private final List<Part> parts;

    Scenario(Part... parts) {
        this.parts = List.of(parts);
    }

    /** As on the command line. */
    String title() {
        return name().toLowerCase(Locale.ROOT);
    }

    List<String> parts() {
        return parts.stream().map(Part::name).toList();
    }

    boolean has(Part part) {
        return parts.contains(part);
    }

    void prepare(World world) throws SQLException {
        world.database().execute(TABLES);
    }

    /** How much has been done so far: rows that handlers wrote, and messages that arrived. */
    long done(World world) throws SQLException {
        return Long.parseLong(world.database()
                        .one("SELECT (SELECT count(*) FROM public.handled) + (SELECT count(*) FROM public.guarded)"))
                + world.endpoint().arrivals().size();
    }

    /** Whether every part of it has done so much. */
    boolean hasTraffic(World world, long atLeast) throws SQLException {
        for (Part part : parts) {
            long done = switch (part) {
                case LEADERSHIP -> Long.parseLong(world.database().one("SELECT count(*) FROM public.guarded"));
                case WEBHOOK -> world.endpoint().arrivals().size();
                default ->
                    Long.parseLong(world.database()
                            .one("SELECT count(*) FROM public.handled WHERE subscription = ?", part.subscription()));
            };
            if (done < atLeast) {
                return false;
            }
        }
        return true;
    }

    /** @param disturbances how often something broke that had messages in flight */
    Invariants.Expected expected(int disturbances) {
        Map<String, Boolean> projections = new LinkedHashMap<>();
        Map<String, Boolean> targets = new LinkedHashMap<>();
        if (has(Part.PROJECTION)) {
            projections.put(Part.PROJECTION.subscription(), false);
        }
        if (has(Part.TOTAL)) {
            projections.put(Part.TOTAL.subscription(), true);
        }
        if (has(Part.WEBHOOK)) {
            targets.put(Part.WEBHOOK.subscription(), false);
        }
        // Two workers of each process, each with a batch of 50 that is not closed.
        return new Invariants.Expected(projections, targets, disturbances * World.WORKERS * 2 * 50, false);
    }

    /** The history of what these parts did, as it is now. */
    void record(World world, List<History.Written> written, List<History.Effect> effects, List<History.Guarded> guarded)
            throws SQLException {
        world.each(
                "SELECT position, key, id FROM baton.events ORDER BY position",
                row -> written.add(new History.Written(row.getLong(1), row.getString(2), row.getString(3))));
        world.each(
                "SELECT subscription, position, key FROM public.handled ORDER BY nr",
                row -> effects.add(new History.Effect(row.getString(1), row.getLong(2), row.getString(3))));
        world.each(
                "SELECT epoch, who FROM public.guarded ORDER BY nr",
                row -> guarded.add(new History.Guarded(row.getLong(1), row.getString(2))));
    }

    static List<String> titles() {
        List<String> titles = new ArrayList<>();
        for (Scenario each : values()) {
            titles.add(each.title());
        }
        return titles;
    }
}
