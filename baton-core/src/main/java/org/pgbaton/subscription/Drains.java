package org.pgbaton.subscription;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.LineLogger;
import org.pgbaton.log.Message;
import org.slf4j.Logger;

/**
 * Goes on with keys that were set aside, when they are due, beside the workers of their lanes. Keys of one lane that are due are drained
 * together, in {@linkplain Round rounds}; there are as many rounds at once as there are workers. A key of which nothing waits any more is
 * recovered, and flows again with its lane's next close.
 *
 * <p>Nobody looks at all keys, and nobody waits for a key: what is due comes out of each lane's queue, and a call that has not ended puts
 * its key there when it does.
 *
 * <p>Guarded by the {@link Board}: what is {@linkplain Board#draining draining}, and everything in {@link Parked}. A drain holds the
 * monitor only before and after it.
 */
final class Drains {
    private static final Logger log = LineLogger.of(Drains.class);

    /** Keys of handlers that are called one after the other; more would wait for each other. */
    private static final int MOST_IN_A_ROW = 50;
    /** Reactions that are slow have a thread each: more than so many for each worker are not begun here. */
    private static final int MOST_SLOW = 16;

    private static final String DID_NOT_RETURN = "The handler did not return within its limit.";

    private final Workshop shop;
    private final Options options;
    private final Board board;
    private final Trouble trouble;
    private final Alarm alarm;
    private final Runnable dispatch;
    private final Runnable dispatchSoon;

    /** @param dispatchSoon the same as dispatch, on another thread, and once for many who want it */
    Drains(Workshop shop, Board board, Trouble trouble, Alarm alarm, Runnable dispatch, Runnable dispatchSoon) {
        this.shop = shop;
        this.options = shop.options;
        this.board = board;
        this.trouble = trouble;
        this.alarm = alarm;
        this.dispatch = dispatch;
        this.dispatchSoon = dispatchSoon;
    }

    // ---- what is due

    /** Under the monitor. */
    void handOut(List<Task> tasks, long now) {
        int most = Math.max(2, options.workers());
        while (board.draining.size() < most && shop.turns() < most * MOST_SLOW) {
            Lane lane = mostDue();
            Parked first = lane == null ? null : lane.nextDue();
            if (lane == null || first == null) {
                return;
            }
            if (first.dueAt - now > 0) {
                alarm.set(first.dueAt, now);
                return;
            }
            List<Parked> keys = take(lane, most - board.draining.size(), now);
            if (!keys.isEmpty()) {
                Running running = new Running();
                board.draining.put(running, new Board.Draining(lane, keys));
                tasks.add(new Task(() -> drain(lane, keys, running), () -> undrain(running)));
            }
        }
    }

    /** The lane whose next key has been due for longest, or is due first. */
    private @Nullable Lane mostDue() {
        @Nullable Lane most = null;
        long dueAt = 0;
        for (Lane lane : board.lanes.values()) {
            Parked next = lane.nextDue();
            if (next != null && lane.mayDrain() && (most == null || next.dueAt - dueAt < 0)) {
                most = lane;
                dueAt = next.dueAt;
            }
        }
        return most;
    }

    /** Keys of this lane that are due. Those that have a call of an earlier tenure wait for it. */
    private List<Parked> take(Lane lane, int free, long now) {
        int inARow = Math.min(MOST_IN_A_ROW, 1 + lane.waiting() / free);
        int most = lane.hasFeed() ? 1 : options.handling().publisher() == null ? inARow : options.batch();
        List<Parked> keys = new ArrayList<>();
        Parked next = lane.nextDue();
        while (next != null && next.dueAt - now <= 0 && keys.size() < most) {
            Call running = next.inFlight == null ? shop.calls.of(next.key) : null;
            if (running == null) {
                lane.beginDraining(next);
                next.passesSeen = next.passes;
                keys.add(next);
            } else {
                await(next, running, now);
            }
            next = lane.nextDue();
        }
        return keys;
    }

    /** Under the monitor. The key is due when the call has ended, or is over its limit. */
    void await(Parked key, Call call, long now) {
        boolean known = key.inFlight == call;
        key.inFlight = call;
        key.slow = true;
        long limit = call.since() + options.limit().toNanos();
        long later = call.isInterrupted() ? limit + Workshop.GRACE.toNanos() : limit;
        key.lane.schedule(
                key,
                call.isDone()
                        ? now
                        : later - now > 0 ? later : now + options.slow().toNanos());
        if (!known) {
            call.whenDone(() -> ended(key, call));
        }
    }

    private void ended(Parked key, Call call) {
        synchronized (board) {
            if (key.inFlight == call && key.queued) {
                key.lane.schedule(key, shop.nanos.getAsLong());
            }
        }
        dispatchSoon.run();
    }

    // ---- draining

    private void undrain(Running running) {
        synchronized (board) {
            Board.Draining given = board.draining.remove(running);
            if (given != null) {
                given.keys().forEach(key -> again(key, Duration.ZERO));
            }
        }
    }

    private void drain(Lane lane, List<Parked> keys, Running running) {
        @Nullable Throwable failure = null;
        Map<Parked, Next> nexts = new HashMap<>();
        try {
            if (lane.hasFeed()) {
                nexts.put(keys.get(0), new Drain(shop, lane, keys.get(0)).run());
            } else {
                nexts.putAll(Round.of(shop, lane, keys, running).run());
            }
        } catch (Throwable thrown) {
            failure = thrown;
        }
        if (running.isGivenUp()) {
            return;
        }
        synchronized (board) {
            board.draining.remove(running);
            for (Parked key : keys) {
                Next next = nexts.get(key);
                if (next == null) {
                    again(key, options.pauseAfter(3));
                } else {
                    follow(key, next);
                }
            }
        }
        if (failure != null && Verdicts.isFenced(failure)) {
            trouble.resync(List.of(lane), false);
        } else if (failure != null) {
            trouble.met(failure);
        }
        dispatch.run();
    }

    /** Under the monitor. */
    private void follow(Parked key, Next next) {
        Lane lane = key.lane;
        key.slow |= next.isSlow();
        key.inFlight = null;
        key.most = next.most();
        lane.setAway(key, next.outage());
        WorkSql.Postponed failure = next.failure();
        if (failure == null) {
            key.attempts = 0;
        } else {
            key.attempts = failure.attempts();
            lane.setForGood(key, failure.state() == Aside.State.PARKED);
        }
        Call call = next.call();
        if (call != null) {
            lane.endDraining(key);
            await(key, call, shop.nanos.getAsLong());
        } else if (next.isRecovered() && key.passes == key.passesSeen) {
            lane.endDraining(key);
            lane.recover(key);
            if (!key.slow) {
                shop.slowKeys.remove(key.key);
            }
        } else {
            again(key, next.pause());
        }
    }

    private void again(Parked key, Duration pause) {
        key.lane.endDraining(key);
        if (key.lane.parked.get(key.key) == key) {
            key.lane.schedule(key, shop.nanos.getAsLong() + pause.toNanos());
        }
    }

    /** A handler that did not return: the attempt counts, and the lane gets another epoch. */
    void giveUp(Running running, List<Message> unit) {
        Board.Draining stuck;
        synchronized (board) {
            stuck = board.draining.remove(running);
        }
        if (stuck == null) {
            return;
        }
        UnitFailed failed = new UnitFailed(unit, Verdict.RETRY, DID_NOT_RETURN, new IllegalStateException("stuck"));
        Map<Parked, Next> nexts = new HashMap<>();
        for (Parked key : stuck.keys()) {
            boolean isIt = key.key.equals(unit.get(0).key());
            nexts.put(
                    key,
                    isIt ? Next.failed(failed, key.key, key.attempts, options) : Next.again(Duration.ZERO, key.most));
        }
        List<WorkSql.Postponed> postponed = new ArrayList<>();
        nexts.values().forEach(next -> {
            if (next.failure() != null) {
                postponed.add(next.failure());
            }
        });
        try {
            shop.inFencedTransaction(
                    stuck.lane(), connection -> shop.sql.postpone(connection, shop.subscription, postponed));
        } catch (Exception failure) {
            log.warn("{}: an attempt that did not return could not be recorded: {}", options, failure.getMessage());
        }
        synchronized (board) {
            nexts.forEach(this::follow);
            stuck.lane().leaving = true;
            shop.calls.all().stream()
                    .filter(call -> call.unit == unit)
                    .forEach(Call::giveUp); // the lane does not wait for it
        }
        dispatch.run();
    }
}
