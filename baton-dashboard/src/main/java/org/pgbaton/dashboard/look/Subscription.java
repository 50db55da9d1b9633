package org.pgbaton.dashboard.look;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A subscription, or one target of it.
 *
 * @param publishesTo where a relay sends messages to; null if it is none
 * @param end the last position of its log
 * @param parked keys that wait for an operator
 * @param setAside keys that go on by themselves
 * @param waiting messages of both kinds of keys
 */
public record Subscription(
        int id,
        String name,
        String target,
        boolean live,
        String log,
        String order,
        String state,
        @Nullable String note,
        @Nullable String publishesTo,
        Instant createdAt,
        long end,
        int parked,
        int setAside,
        long waiting,
        List<Member> members,
        List<Lane> lanes) {

    /** A process that takes part. */
    public record Member(String who, Instant since) {}

    /** Name and target, as people write them. */
    public String title() {
        return target.isEmpty() ? name : name + " (" + target + ")";
    }

    /** Everything up to here has been processed, in every lane. */
    public long position() {
        return lanes.stream().mapToLong(Lane::position).min().orElse(0);
    }

    /** The mean of all lanes: grows by about one for each message. */
    public double meanPosition() {
        return lanes.stream().mapToLong(Lane::position).average().orElse(0);
    }

    /** When the oldest message was written that waits; null if none does. */
    public @Nullable Instant waitingSince() {
        return lanes.stream()
                .map(Lane::waitingSince)
                .filter(Objects::nonNull)
                .min(Instant::compareTo)
                .orElse(null);
    }

    /** Positions from there to the end of the log; 0 if nothing waits. */
    public long behind() {
        return waitingSince() == null ? 0 : Math.max(0, end - position());
    }

    /** How long the oldest waiting message has waited. */
    public Duration lag(Instant now) {
        Instant since = waitingSince();
        return since == null || since.isAfter(now) ? Duration.ZERO : Duration.between(since, now);
    }

    /** How many lanes have an owner. */
    public int owned() {
        return (int) lanes.stream().filter(lane -> lane.owner() != null).count();
    }

    public long epoch() {
        return lanes.stream().mapToLong(Lane::epoch).max().orElse(0);
    }

    /** Null if it waits for nobody. */
    public @Nullable String heldBackBy() {
        return joined(lanes.stream()
                .map(Lane::heldBackBy)
                .filter(Objects::nonNull)
                .distinct()
                .toList());
    }

    /** Null if no stranger holds one of its locks. */
    public @Nullable String lockedBy() {
        return joined(lanes.stream()
                .map(Lane::lockedBy)
                .filter(Objects::nonNull)
                .distinct()
                .toList());
    }

    private static @Nullable String joined(List<String> texts) {
        return texts.isEmpty() ? null : texts.stream().collect(Collectors.joining(", "));
    }

    public boolean isRunning() {
        return state.equals("running") || state.equals("new");
    }
}
