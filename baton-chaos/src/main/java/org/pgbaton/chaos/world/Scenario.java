package org.pgbaton.chaos.world;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.pgbaton.chaos.targets.Brokers;
import org.pgbaton.chaos.worker.Part;

/** What Baton is doing while something happens to it. */
public enum Scenario {
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
    /** A capture of a table, a projection of its log, and a channel. */
    CAPTURE(Part.CAPTURE, Part.CHANNEL),
    /** A projection that is rebuilt beside the live one, and takes its place. */
    REBUILD(Part.REBUILT, Part.REBUILD),
    /** A projection and a reaction of a log whose old rows are removed as soon as they may be. */
    RETENTION(Part.PROJECTION, Part.REACTION),
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
            Part.CAPTURE,
            Part.CHANNEL);

    @SuppressWarnings("ImmutableEnumChecker") // List.of
    private final List<Part> parts;

    Scenario(Part... parts) {
        this.parts = List.of(parts);
    }

    /** As on the command line. */
    public String title() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public List<Part> parts() {
        return parts;
    }

    public boolean has(Part part) {
        return parts.contains(part);
    }

    /** Whether {@link #EVERYTHING} does all that it does. */
    public boolean isPartOfEverything() {
        return this != EVERYTHING && keepsItsLog() && EVERYTHING.parts.containsAll(parts);
    }

    /** Why it cannot be run on this machine; null if it can. */
    public @Nullable String missing() {
        return parts.stream()
                .map(Brokers::missing)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** Whether its messages can be written for as long as one likes; an adoption is one event, and a leadership has none. */
    public boolean hasMessages() {
        return this != LEADERSHIP && this != ADOPTION && this != REBUILD;
    }

    public boolean hasTarget() {
        return parts.stream().anyMatch(Part::hasTarget);
    }

    public boolean hasEndpoint() {
        return has(Part.WEBHOOK) || has(Part.CHANNEL);
    }

    /** Whether nothing is promised against a message that comes again. */
    public boolean mayComeAgain() {
        return parts.stream().allMatch(Part::mayComeAgain);
    }

    /** Whether some of its keys can be made to fail; where keys that are captured or rebuilt are skipped, nobody could judge. */
    public boolean canFail() {
        return this != REBUILD && (has(Part.PROJECTION) || has(Part.TOTAL) || has(Part.REACTION) || has(Part.WEBHOOK));
    }

    /** Whether everything in it can be handled again, by the same relay. */
    public boolean keepsItsLog() {
        return this != RETENTION && this != ADOPTION;
    }

    /** What subscriptions read. */
    public String log() {
        return this == ADOPTION ? OldOutbox.LOG : "events";
    }

    /** What writers write to; it has the columns {@code key} and {@code payload}. */
    public String table() {
        return this == ADOPTION ? OldOutbox.TABLE : "baton.events";
    }

    public static List<String> titles() {
        List<String> titles = new ArrayList<>();
        for (Scenario each : values()) {
            titles.add(each.title());
        }
        return titles;
    }
}
