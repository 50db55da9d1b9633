package org.pgbaton.subscription;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.pgbaton.database.BatonException;
import org.pgbaton.database.LineLogger;
import org.slf4j.Logger;

/**
 * What follows when something went wrong: the member pauses, or stops for good, or forgets what it believed and goes by what is stored.
 * Whoever met the trouble dispatches afterwards.
 *
 * <p>Guarded by the {@link Board}: the pauses, the state, and the positions of lanes in trouble. Reads and writes the database, so it is
 * called by those who do not hold the monitor.
 */
final class Trouble {
    private static final Logger log = LineLogger.of(Trouble.class);

    private static final Duration AGAIN = Duration.ofMillis(200);

    private final Crew crew;
    private final Workshop shop;
    private final Options options;
    private final Board board;
    private final Ownership ownership;
    private final Runnable dispatch;

    Trouble(Crew crew, Workshop shop, Board board, Ownership ownership, Runnable dispatch) {
        this.crew = crew;
        this.shop = shop;
        this.options = shop.options;
        this.board = board;
        this.ownership = ownership;
        this.dispatch = dispatch;
    }

    /** Pauses, or stops. */
    void met(Throwable failure) {
        UnitFailed failed = UnitFailed.in(failure);
        Verdict verdict = failed != null ? failed.verdict : Verdicts.onOurOwn(failure);
        if (verdict == Verdict.STOP) {
            ownership.stop(Workshop.describe(failure));
            return;
        }
        if (Verdicts.isFenced(failure) && options.mode() != InstanceMode.SINGLE) {
            return;
        }
        if (failed != null && verdict == Verdict.PAUSE) {
            pause(failed.pause());
            return;
        }
        shop.setProbing(true);
        Duration pause;
        synchronized (board) {
            long now = shop.nanos.getAsLong();
            Duration left = Duration.ofNanos(board.pausedUntil - now);
            // Several workers meet the same outage; that is no reason to pause for longer.
            pause = left.isNegative() || left.isZero() ? board.outagePause.next() : left;
            if (failed != null && failed.pause().compareTo(pause) > 0) {
                pause = failed.pause();
            }
            board.pausedUntil = now + pause.toNanos();
            board.trouble = failure.getMessage();
        }
        log.warn("{} pauses for {} ms: {}", options, pause.toMillis(), failure.getMessage());
        if (!(failure instanceof BatonException)) {
            log.debug("{}", options, failure);
        }
    }

    /** As the handler wished: nothing is wrong. A longer pause that another worker began stays as long as it was. */
    private void pause(Duration wanted) {
        synchronized (board) {
            long until = shop.nanos.getAsLong() + wanted.toNanos();
            if (until - board.pausedUntil > 0) {
                board.pausedUntil = until;
            }
        }
    }

    /**
     * Something went wrong between us and the database, and a transaction whose end we do not know may have been committed: what is
     * stored tells the truth. Positions first, parked keys later, as they are read: who parks moves the position, and would be noticed by
     * the next close.
     *
     * @param claimed whether the lanes are the caller's to change
     */
    void resync(List<Lane> troubled, boolean claimed) {
        Store.Everything stored = ownership.stored(claimed ? troubled : List.of());
        if (stored.isKnown()) {
            List<Lane> notOurs = new ArrayList<>(troubled);
            notOurs.removeIf(lane -> resync(lane, claimed, stored));
            synchronized (board) {
                ownership.dropAndRelease(notOurs);
            }
        } else if (claimed) {
            wait(troubled);
        }
    }

    /** @return whether it is ours */
    private boolean resync(Lane lane, boolean claimed, Store.Everything stored) {
        Store.Row row = stored.checkpoints().get(lane.checkpoint());
        if (row == null || !isOurs(lane, row)) {
            return false;
        }
        synchronized (board) {
            if (claimed) {
                lane.unsure = false;
                lane.stored = row.position();
                lane.reached = Math.max(row.position(), lane.published);
                lane.rememberOnly(stored.parked(), shop.nanos.getAsLong());
            }
        }
        return true;
    }

    /**
     * What is stored cannot be read. Lanes are given back, so that somebody can have them who can read; but not while a call of theirs
     * runs: nothing is begun for those until it is known how far they are.
     */
    private void wait(List<Lane> troubled) {
        List<Lane> unsure = new ArrayList<>(troubled);
        List<Lane> given = new ArrayList<>(troubled);
        synchronized (board) {
            unsure.removeIf(lane -> !lane.isCalling() || lane.gone || board.closing);
            given.removeAll(unsure);
            unsure.forEach(lane -> lane.unsure = true);
            ownership.dropAndRelease(given);
        }
        if (!unsure.isEmpty()) {
            crew.later(
                    () -> {
                        resync(unsure.stream().filter(lane -> !lane.gone).toList(), true);
                        dispatch.run();
                    },
                    AGAIN);
        }
    }

    private boolean isOurs(Lane lane, Store.Row row) {
        if (row.epoch() != lane.tenure.epoch()) {
            shop.counters.fenced.increment();
            log.info(
                    "{}: lane {} belongs to epoch {} now, ours was {}",
                    options,
                    lane.number,
                    row.epoch(),
                    lane.tenure.epoch());
            return false;
        }
        return true;
    }
}
