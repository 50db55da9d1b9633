package org.pgbaton.member;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.pgbaton.checkpoint.StoredState;
import org.pgbaton.handling.HandlerWatch;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.handling.Suspect;
import org.pgbaton.hub.Sight;
import org.pgbaton.lane.AsideKey;
import org.pgbaton.lane.CheckpointId;
import org.pgbaton.lane.Claim;
import org.pgbaton.lane.Lane;
import org.pgbaton.session.Backoff;
import org.pgbaton.session.LineLogger;
import org.pgbaton.subscription.SubscriptionState;
import org.slf4j.Logger;

/**
 * The state of one {@link Member}: its lanes, who works for them, and whether anything may be begun.
 *
 * <p>This is the one monitor of the member and of everybody who shares its duties. What is declared here, and what they declare to be
 * guarded by it, is read and changed only by whoever holds it; methods here expect that, unless they are {@code synchronized}. Nobody waits
 * while holding it, and nobody talks to the database.
 */
final class MemberState {
    private static final Logger log = LineLogger.of(MemberState.class);

    /** Keys of one lane that are drained right now, together. */
    record Draining(Lane lane, List<AsideKey> keys) {}

    private final SubscriptionOptions options;

    /** Those that are ours, by their checkpoint. */
    @GuardedBy("this")
    final Map<CheckpointId, Lane> lanes = new HashMap<>();

    @GuardedBy("this")
    final Map<Claim, HandlerWatch> working = new HashMap<>();

    @GuardedBy("this")
    final Map<HandlerWatch, Draining> draining = new HashMap<>();

    @GuardedBy("this")
    final Map<String, Suspect> suspects = new HashMap<>();

    @GuardedBy("this")
    SubscriptionState status = SubscriptionState.STARTING;

    /** Why it does not run, or what somebody should know. */
    @GuardedBy("this")
    @Nullable
    String note;

    /** The last failure, until something succeeds or nothing that could fail again is ours. */
    @GuardedBy("this")
    @Nullable
    String trouble;

    @GuardedBy("this")
    @Nullable
    Sight sight;

    @GuardedBy("this")
    boolean closing;

    /** On the monotonic clock; nothing is begun before. */
    @GuardedBy("this")
    long pausedUntil;

    @GuardedBy("this")
    final Backoff outagePause;

    MemberState(SubscriptionOptions options, long now) {
        this.options = options;
        this.pausedUntil = now;
        Duration longest = options.longestOutagePause();
        Duration shortest = options.shortestPause();
        this.outagePause = new Backoff(shortest.compareTo(longest) < 0 ? shortest : longest, longest);
    }

    /** Whether work may be begun, and gone on with. */
    @GuardedBy("this")
    boolean isOpen() {
        return status == SubscriptionState.RUNNING && !closing;
    }

    /** Whether lanes are worth taking. */
    @GuardedBy("this")
    boolean wantsLanes() {
        return status == SubscriptionState.RUNNING || status == SubscriptionState.STARTING;
    }

    @GuardedBy("this")
    void setState(StoredState stored) {
        if (closing || status == SubscriptionState.FENCED) {
            return;
        }
        SubscriptionState before = status;
        status = switch (stored.name()) {
            case "paused" -> SubscriptionState.PAUSED;
            case "retired" -> SubscriptionState.RETIRED;
            case "stopped", "deleted" -> SubscriptionState.STOPPED;
            default -> SubscriptionState.RUNNING;
        };
        note = status == SubscriptionState.RUNNING
                ? null
                : stored.note() == null ? "it is " + stored.name() : stored.note();
        trouble = null;
        if (before != status && before != SubscriptionState.STARTING) {
            log.info("{} is {}{}", options, status, note == null ? "" : ": " + note);
        }
    }

    /**
     * Forgets the last failure if nothing that could fail again is ours: the lane has another owner, or somebody has handled the message.
     *
     * @param share how many lanes should be ours; -1 while nobody knows
     */
    synchronized void forgetTrouble(long now, int share) {
        boolean isIdle = working.isEmpty() && draining.isEmpty() && behind() == 0;
        // A lane that could not be opened is missing here, and its trouble is not over.
        boolean isAsItShouldBe = share >= 0 && lanes.size() >= share;
        if (isIdle && isAsItShouldBe && now - pausedUntil > 0) {
            trouble = null;
        }
    }

    /** @return false if it is being closed anyway */
    synchronized boolean end(SubscriptionState as, String why) {
        if (closing) {
            return false;
        }
        status = as;
        note = why;
        return true;
    }

    synchronized void unclaim(Claim claim) {
        working.remove(claim);
        claim.lanes().forEach(lane -> lane.setBusy(false));
    }

    synchronized int keysAside() {
        return lanes.values().stream().mapToInt(lane -> lane.asideKeys().size()).sum();
    }

    synchronized int keysParked() {
        return lanes.values().stream()
                .mapToInt(lane -> lane.asideKeys().parked())
                .sum();
    }

    /** The target is away for keys that are set aside; others may not have been tried since. */
    synchronized @Nullable String outage() {
        return lanes.values().stream()
                .map(lane -> lane.asideKeys().outage())
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** Positions between what our lanes have read and the end of the log. */
    synchronized long behind() {
        Sight seen = sight;
        return seen == null
                ? 0
                : lanes.values().stream()
                        .mapToLong(lane -> Math.max(0, seen.end() - lane.reached()))
                        .max()
                        .orElse(0);
    }
}
