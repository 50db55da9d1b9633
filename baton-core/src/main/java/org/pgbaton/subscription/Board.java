package org.pgbaton.subscription;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.LineLogger;
import org.pgbaton.hub.Sight;
import org.pgbaton.session.Backoff;
import org.slf4j.Logger;

/**
 * What one {@link Member} knows: its lanes, who works for them, and whether anything may be begun.
 *
 * <p>The board is the one monitor of the member and of everybody who shares its duties. Whatever stands here, and what they say they
 * guard by it, is read and changed only by whoever holds it; methods here expect that, unless they are {@code synchronized}. Nobody waits
 * while holding it, and nobody talks to the database.
 */
final class Board {
    private static final Logger log = LineLogger.of(Board.class);

    /** Keys of one lane that are drained right now, together. */
    record Draining(Lane lane, List<Parked> keys) {}

    private final Options options;

    /** Those that are ours, by their checkpoint. */
    final Map<Integer, Lane> lanes = new HashMap<>();

    final Map<Claim, Running> working = new HashMap<>();
    final Map<Running, Draining> draining = new HashMap<>();
    final Map<String, Suspect> suspects = new HashMap<>();

    SubscriptionState state = SubscriptionState.STARTING;
    /** Why it does not run, or what somebody should know. */
    @Nullable
    String note;
    /** What went wrong last, until something succeeds or nothing is left of it. */
    @Nullable
    String trouble;

    @Nullable
    Sight sight;

    boolean closing;
    /** On the monotonic clock; nothing is begun before. */
    long pausedUntil;

    final Backoff outagePause;

    Board(Options options, long now) {
        this.options = options;
        this.pausedUntil = now;
        this.outagePause = new Backoff(options.shortestPause(), options.longestOutagePause());
    }

    /** Whether work may be begun, and gone on with. */
    boolean isOpen() {
        return state == SubscriptionState.RUNNING && !closing;
    }

    /** Whether lanes are worth taking. */
    boolean wantsLanes() {
        return state == SubscriptionState.RUNNING || state == SubscriptionState.STARTING;
    }

    void setState(Store.State stored) {
        if (closing || state == SubscriptionState.FENCED) {
            return;
        }
        SubscriptionState before = state;
        state = switch (stored.name()) {
            case "paused" -> SubscriptionState.PAUSED;
            case "retired" -> SubscriptionState.RETIRED;
            case "stopped", "deleted" -> SubscriptionState.STOPPED;
            default -> SubscriptionState.RUNNING;
        };
        note = state == SubscriptionState.RUNNING
                ? null
                : stored.note() == null ? "it is " + stored.name() : stored.note();
        trouble = null;
        if (before != state && before != SubscriptionState.STARTING) {
            log.info("{} is {}{}", options, state, note == null ? "" : ": " + note);
        }
    }

    /**
     * What went wrong is over when the lane is another's, or somebody has handled the message: nothing that could fail again is ours.
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
        state = as;
        note = why;
        return true;
    }

    synchronized void unclaim(Claim claim) {
        working.remove(claim);
        claim.lanes().forEach(lane -> lane.busy = false);
    }

    synchronized int keysAside() {
        return lanes.values().stream().mapToInt(lane -> lane.parked.size()).sum();
    }

    synchronized int keysParked() {
        return lanes.values().stream().mapToInt(Lane::forGood).sum();
    }

    /** The target is away for keys that are set aside; others may not have been tried since. */
    synchronized @Nullable String outage() {
        return lanes.values().stream()
                .map(Lane::outage)
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
                        .mapToLong(lane -> Math.max(0, seen.end() - lane.reached))
                        .max()
                        .orElse(0);
    }
}
