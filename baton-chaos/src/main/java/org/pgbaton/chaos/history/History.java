package org.pgbaton.chaos.history;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.chaos.targets.Arrival;
import org.pgbaton.chaos.worker.Part;

/**
 * What happened in a round, seen from outside Baton: by the log's table, tables that handlers write to, endpoints, and a look at the
 * checkpoints a few times a second. {@code Invariants} judges by this alone.
 *
 * @param written what was committed to the log, by position
 * @param effects what projections did, in the order in which it was committed for each key
 * @param arrivals what reached an endpoint, in that order
 * @param captured what a capture made of changes of a table, in the order of its log
 * @param capturedRows the log of the capture, by position
 * @param accounts the rows of that table at the end: each change made the version of one higher by one
 * @param guarded what leaders wrote under their guard, in the order in which it was written
 * @param samples looks at the checkpoints, in the order of time
 * @param faults what was done to them, in the order of time
 * @param claims what processes said of themselves while they could not work, and when all was well again
 * @param leftBehind what there is more of than before the fault: threads, memory, connections, locks
 * @param trafficBeforeTheFault effects and arrivals that were there when the fault began
 * @param adoption of a table that was adopted
 * @param operations what operators did to subscriptions, in the order of time
 * @param witnessed violations that a committed transaction showed by itself, and deadlocks
 * @param calmAfter how long it took after the end of the fault until nothing was left to do; null if it never was
 */
public record History(
        List<Written> written,
        List<Effect> effects,
        List<Arrival> arrivals,
        List<Captured> captured,
        List<Written> capturedRows,
        Map<String, Long> accounts,
        List<Guarded> guarded,
        List<Sample> samples,
        List<Event> faults,
        List<Claim> claims,
        List<String> leftBehind,
        long trafficBeforeTheFault,
        Adoption adoption,
        List<Operation> operations,
        List<Witnessed> witnessed,
        @Nullable Duration calmAfter) {

    /** How the event begins that tells of an operator's task that was not done in time. */
    public static final String COULD_NOT = "could not ";

    /** How the event begins that announces one of many strikes. */
    public static final String STRIKE = "strike ";

    /** What a target should get. */
    public List<Written> written(String target) {
        return target.equals(Part.CHANNEL.subscription()) ? capturedRows : written;
    }

    /** A row of the log. */
    public record Written(long position, String key, String id) {}

    /**
     * A row that a projection wrote for a message.
     *
     * @param millis since the round began
     */
    public record Effect(long millis, String subscription, long position, String key) {}

    /**
     * What became of a table that was adopted.
     *
     * @param rows what is in it, in the order of their insertion for each key
     * @param handled by the old relay or by Baton, in that order
     * @param skipped by an operator, when they were messages
     */
    public record Adoption(List<Row> rows, List<Row> handled, List<Row> skipped) {
        public static final Adoption NONE = new Adoption(List.of(), List.of(), List.of());
    }

    /** @param by who handled it; empty in the table itself */
    public record Row(String by, String key, long number) {
        public Row by(String another) {
            return new Row(another, key, number);
        }
    }

    /** @param position of the message that was skipped, or to which the subscription was moved back; 0 if it was deleted */
    public record Operation(String what, String subscription, long position) {}

    /** @param invariant that was violated */
    public record Witnessed(String invariant, String what) {}

    /** A change of a row. */
    public record Captured(String key, long version) {}

    /** @param during what it could not work with; empty if all was well */
    public record Claim(long millis, String worker, String health, String during) {
        public static final String WELL = "well";

        public boolean well() {
            return health.equals(WELL);
        }
    }

    /** A row that a leader wrote. */
    public record Guarded(long epoch, String who) {}

    /** @param millis since the round began */
    public record Sample(
            long millis,
            String subscription,
            int lane,
            long position,
            long epoch,
            @Nullable String owner) {}

    /** @param millis since the round began */
    public record Event(long millis, String what) {}
}
