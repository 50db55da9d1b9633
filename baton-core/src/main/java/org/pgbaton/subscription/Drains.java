package org.pgbaton.subscription;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.pgbaton.database.LineLogger;

/**
 * Goes on with keys that were set aside, each when it is due, beside the workers of their lanes; and unparks those of which nothing waits
 * any more.
 *
 * <p>Guarded by the {@link Board}: what is {@linkplain Board#draining draining}, and which lane waits for an idle moment to unpark a key.
 * A drain holds the monitor only before and after it.
 */
final class Drains {
    private static final Logger log = LineLogger.of(Drains.class);
    private static final Duration UNPARK_AGAIN = Duration.ofMillis(5);

    private final Crew crew;
    private final Workshop shop;
    private final Options options;
    private final Board board;
    private final Trouble trouble;
    private final Alarm alarm;
    private final Runnable dispatch;

    Drains(Crew crew, Workshop shop, Board board, Trouble trouble, Alarm alarm, Runnable dispatch) {
        this.crew = crew;
        this.shop = shop;
        this.options = shop.options;
        this.board = board;
        this.trouble = trouble;
        this.alarm = alarm;
        this.dispatch = dispatch;
    }

    /** Under the monitor. */
    void handOut(List<Task> tasks, long now) {
        for (Lane lane : board.lanes.values()) {
            for (Parked key : lane.parked.values()) {
                if (key.parked || key.draining || lane.leaving) {
                    continue;
                }
                long dueAt = key.dueAt(options.limit());
                if (dueAt - now > 0) {
                    alarm.set(dueAt, now);
                } else if (board.draining.size() < Math.max(2, options.workers())) {
                    key.draining = true;
                    Running running = new Running();
                    board.draining.put(running, new Board.Draining(lane, key));
                    tasks.add(new Task(() -> drain(lane, key, running), () -> undrain(running)));
                }
            }
        }
    }

    private void undrain(Running running) {
        synchronized (board) {
            Board.Draining given = board.draining.remove(running);
            if (given != null) {
                given.key().draining = false;
            }
        }
    }

    private void drain(Lane lane, Parked key, Running running) {
        @Nullable Throwable failure = null;
        Drain.End end = Drain.End.POSTPONED;
        try {
            end = new Drain(shop, lane, key, running).run();
        } catch (Throwable thrown) {
            failure = thrown;
        }
        if (running.isGivenUp()) {
            return;
        }
        synchronized (board) {
            board.draining.remove(running);
            if (failure != null) {
                key.dueAt = shop.nanos.getAsLong() + options.pauseAfter(3).toNanos();
            }
            if (end != Drain.End.EMPTY) {
                key.draining = false;
            }
        }
        if (failure != null && Verdicts.isFenced(failure)) {
            trouble.resync(List.of(lane), false);
        } else if (failure != null) {
            trouble.met(failure);
        } else if (end == Drain.End.EMPTY) {
            unpark(lane, key);
            return;
        }
        dispatch.run();
    }

    /**
     * Only while nobody works for the lane: a worker that has sorted its rows already would pass over a message of a key that is no longer
     * parked. So nobody claims the lane until it is done.
     */
    private void unpark(Lane lane, Parked key) {
        synchronized (board) {
            lane.unparking++;
        }
        unparkWhenIdle(lane, key);
    }

    private void unparkWhenIdle(Lane lane, Parked key) {
        synchronized (board) {
            if (lane.busy && !lane.gone) {
                crew.later(() -> unparkWhenIdle(lane, key), Duration.ofMillis(1));
                return;
            }
            lane.busy = true;
        }
        crew.execute(() -> {
            boolean unparked = false;
            try {
                boolean[] answer = new boolean[1];
                shop.inFencedTransaction(
                        lane, connection -> answer[0] = shop.sql.unpark(connection, shop.subscription, key.key));
                unparked = answer[0];
            } catch (Exception notYet) {
                log.debug("{}: key '{}' is not unparked yet", options, key.key, notYet);
            } finally {
                unparked(lane, key, unparked);
                dispatch.run();
            }
        });
    }

    private void unparked(Lane lane, Parked key, boolean really) {
        synchronized (board) {
            lane.busy = false;
            lane.unparking--;
            key.draining = false;
            key.dueAt = shop.nanos.getAsLong() + UNPARK_AGAIN.toNanos();
            if (really) {
                lane.parked.remove(key.key);
            }
        }
    }
}
