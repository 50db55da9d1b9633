package org.pgbaton.member;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.pgbaton.checkpoint.CheckpointRow;
import org.pgbaton.checkpoint.StoredSubscription;
import org.pgbaton.database.BatonException;
import org.pgbaton.handling.FailureVerdicts;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.handling.UnitFailed;
import org.pgbaton.lane.Lane;
import org.pgbaton.session.BackgroundTasks;
import org.pgbaton.session.LineLogger;
import org.pgbaton.session.LogFields;
import org.pgbaton.subscription.InstanceMode;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.work.WorkContext;
import org.slf4j.Logger;

/**
 * Responds to failures: the member pauses, or stops for good, or forgets what it believed and goes by what is stored. The caller dispatches
 * afterwards.
 *
 * <p>Guarded by the {@link MemberState}: the pauses, the state, and the positions of lanes in trouble. Reads and writes the database, so it
 * is called by those who do not hold the monitor.
 */
final class FailureResponse {
    private static final Logger log = LineLogger.of(FailureResponse.class);

    private static final Duration AGAIN = Duration.ofMillis(200);

    private final BackgroundTasks background;
    private final WorkContext work;
    private final SubscriptionOptions options;
    private final MemberState state;
    private final LaneOwnership ownership;
    private final Runnable dispatch;

    FailureResponse(
            BackgroundTasks background,
            WorkContext work,
            MemberState state,
            LaneOwnership ownership,
            Runnable dispatch) {
        this.background = background;
        this.work = work;
        this.options = work.options();
        this.state = state;
        this.ownership = ownership;
        this.dispatch = dispatch;
    }

    /** Pauses, or stops. */
    void met(Throwable failure) {
        UnitFailed failed = UnitFailed.in(failure);
        Verdict verdict = failed != null ? failed.verdict() : FailureVerdicts.onOurOwn(failure);
        if (verdict == Verdict.STOP) {
            ownership.stop(FailureVerdicts.describe(failure));
            return;
        }
        if (FailureVerdicts.isFenced(failure) && options.mode() != InstanceMode.SINGLE) {
            return;
        }
        if (failed != null && verdict == Verdict.PAUSE) {
            pause(failed.pause());
            return;
        }
        work.answers().setAway(true);
        Duration pause;
        synchronized (state) {
            long now = work.now();
            Duration left = Duration.ofNanos(state.pausedUntil - now);
            // Several workers meet the same outage; that is no reason to pause for longer.
            pause = left.isNegative() || left.isZero() ? state.outagePause.next() : left;
            if (failed != null && failed.pause().compareTo(pause) > 0) {
                pause = failed.pause();
            }
            state.pausedUntil = now + pause.toNanos();
            state.trouble = failure.getMessage();
        }
        log.warn("{} pauses for {} ms: {}", options, pause.toMillis(), failure.getMessage());
        if (!(failure instanceof BatonException)) {
            log.debug("{}", options, failure);
        }
    }

    /** A pause that the handler asked for. It does not shorten a longer one that another worker began. */
    private void pause(Duration wanted) {
        synchronized (state) {
            long until = work.now() + wanted.toNanos();
            if (until - state.pausedUntil > 0) {
                state.pausedUntil = until;
            }
        }
    }

    /**
     * Reads the lanes' positions and keys anew, after a transaction whose outcome is unknown. Positions are read before keys: whoever parks
     * a key moves the position as well, so the next close would notice it.
     *
     * @param claimed whether the lanes are the caller's to change
     */
    void resync(List<Lane> troubled, boolean claimed) {
        StoredSubscription stored = ownership.stored(claimed ? troubled : List.of());
        if (stored.isKnown()) {
            List<Lane> notOurs = new ArrayList<>(troubled);
            notOurs.removeIf(lane -> resync(lane, claimed, stored));
            synchronized (state) {
                ownership.dropAndRelease(notOurs);
            }
        } else if (claimed) {
            wait(troubled);
        }
    }

    /** @return whether it is ours */
    private boolean resync(Lane lane, boolean claimed, StoredSubscription stored) {
        CheckpointRow row = stored.checkpoints().get(lane.checkpoint());
        if (row == null || !isOurs(lane, row)) {
            return false;
        }
        synchronized (state) {
            if (claimed) {
                lane.setUnsure(false);
                lane.setStored(row.position());
                lane.setReached(Math.max(row.position(), lane.published()));
                lane.asideKeys().rememberOnly(stored.aside(), work.now());
            }
        }
        return true;
    }

    /**
     * The stored positions cannot be read. Lanes are given back, since another member may be able to read. A lane with a running call is
     * kept, but nothing is begun for it until its position is known.
     */
    private void wait(List<Lane> troubled) {
        List<Lane> unsure = new ArrayList<>(troubled);
        List<Lane> given = new ArrayList<>(troubled);
        synchronized (state) {
            boolean closing = state.closing;
            unsure.removeIf(lane -> !lane.isCalling() || lane.isGone() || closing);
            given.removeAll(unsure);
            unsure.forEach(lane -> lane.setUnsure(true));
            ownership.dropAndRelease(given);
        }
        if (!unsure.isEmpty()) {
            background.later(
                    () -> {
                        resync(unsure.stream().filter(lane -> !lane.isGone()).toList(), true);
                        dispatch.run();
                    },
                    AGAIN);
        }
    }

    private boolean isOurs(Lane lane, CheckpointRow row) {
        if (row.epoch() != lane.tenure().epoch()) {
            work.counters().addFenced();
            log.info(
                    "{}: lane {} belongs to epoch {} now, ours was {}",
                    options,
                    LogFields.of("lane", lane.group()),
                    row.epoch(),
                    LogFields.of("epoch", lane.tenure().epoch()));
            return false;
        }
        return true;
    }
}
