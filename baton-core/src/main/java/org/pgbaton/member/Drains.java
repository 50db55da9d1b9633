package org.pgbaton.member;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.drain.AfterDrain;
import org.pgbaton.drain.Drainer;
import org.pgbaton.handling.Call;
import org.pgbaton.handling.FailureVerdicts;
import org.pgbaton.handling.HandlerWatch;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.handling.UnitFailed;
import org.pgbaton.lane.AsideEntry;
import org.pgbaton.lane.AsideKey;
import org.pgbaton.lane.AsideKeys;
import org.pgbaton.lane.Lane;
import org.pgbaton.lane.PostponedKey;
import org.pgbaton.log.Message;
import org.pgbaton.session.LineLogger;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.work.WorkContext;
import org.slf4j.Logger;

/**
 * Goes on with keys that were set aside, when they are due, beside the workers of their lanes. Keys of one lane that are due are drained
 * together, in rounds; there are as many rounds at once as there are workers. A key of which nothing waits any more is
 * recovered, and flows again with its lane's next close.
 *
 * <p>Nobody looks at all keys, and nobody waits for a key: what is due comes out of each lane's queue, and a call that has not ended puts
 * its key there when it does.
 *
 * <p>Guarded by the {@link MemberState}: what is {@linkplain MemberState#draining draining}, and everything in {@link AsideKey}. A drain
 * holds the monitor only before and after it.
 */
final class Drains {
    private static final Logger log = LineLogger.of(Drains.class);

    /** The most keys in a round whose handler is called for one after the other: they wait for each other. */
    private static final int MOST_IN_A_ROW = 50;
    /** A slow reaction occupies a thread. No round begins while there are more than so many such threads per worker. */
    private static final int MOST_SLOW = 16;

    private static final String DID_NOT_RETURN = "The handler did not return within its limit.";

    private final WorkContext work;
    private final Drainer drainer;
    private final SubscriptionOptions options;
    private final MemberState state;
    private final FailureResponse failures;
    private final DispatchTimer timer;
    private final Runnable dispatch;
    private final Runnable dispatchSoon;

    /** @param dispatchSoon the same as dispatch, but on another thread, and once for many calls */
    Drains(
            WorkContext work,
            Drainer drainer,
            MemberState state,
            FailureResponse failures,
            DispatchTimer timer,
            Runnable dispatch,
            Runnable dispatchSoon) {
        this.work = work;
        this.drainer = drainer;
        this.options = work.options();
        this.state = state;
        this.failures = failures;
        this.timer = timer;
        this.dispatch = dispatch;
        this.dispatchSoon = dispatchSoon;
    }

    // ---- what is due

    void handOut(List<WorkerTask> tasks, long now) {
        synchronized (state) {
            int most = Math.max(2, options.workers());
            while (state.draining.size() < most && work.calls().threadsInUse() < most * MOST_SLOW) {
                Lane lane = mostDue();
                AsideKey first = lane == null ? null : lane.asideKeys().nextDue();
                if (lane == null || first == null) {
                    return;
                }
                if (first.dueAt() - now > 0) {
                    timer.set(first.dueAt(), now);
                    return;
                }
                List<AsideKey> keys = take(lane, most - state.draining.size(), now);
                if (!keys.isEmpty()) {
                    HandlerWatch watch = new HandlerWatch();
                    state.draining.put(watch, new MemberState.Draining(lane, keys));
                    tasks.add(new Worker(lane, keys, watch));
                }
            }
        }
    }

    /** The lane whose next key has been due for longest, or is due first. */
    @GuardedBy("state")
    private @Nullable Lane mostDue() {
        @Nullable Lane most = null;
        long dueAt = 0;
        for (Lane lane : state.lanes.values()) {
            AsideKey next = lane.asideKeys().nextDue();
            if (next != null && lane.mayDrain() && (most == null || next.dueAt() - dueAt < 0)) {
                most = lane;
                dueAt = next.dueAt();
            }
        }
        return most;
    }

    /** Keys of this lane that are due. Those that have a call of an earlier tenure wait for it. */
    private List<AsideKey> take(Lane lane, int free, long now) {
        int inARow = Math.min(MOST_IN_A_ROW, 1 + lane.asideKeys().waiting() / free);
        int most = lane.hasFeed() ? 1 : options.handling().publisher() == null ? inARow : options.batch();
        List<AsideKey> keys = new ArrayList<>();
        AsideKey next = lane.asideKeys().nextDue();
        while (next != null && next.dueAt() - now <= 0 && keys.size() < most) {
            Call running = next.running() == null ? work.calls().of(next.key()) : null;
            if (running == null) {
                lane.asideKeys().beginDraining(next);
                keys.add(next);
            } else {
                await(next, running, now);
            }
            next = lane.asideKeys().nextDue();
        }
        return keys;
    }

    /** The key is due when the call has ended, or is over its limit. */
    void await(AsideKey key, Call call, long now) {
        synchronized (state) {
            boolean known = key.running() == call;
            key.setRunning(call);
            key.setSlow(true);
            long limit = call.since() + options.limit().toNanos();
            long later = call.isInterrupted() ? limit + HandlerWatch.GRACE.toNanos() : limit;
            key.lane()
                    .asideKeys()
                    .schedule(
                            key,
                            call.isDone()
                                    ? now
                                    : later - now > 0
                                            ? later
                                            : now + options.slow().toNanos());
            if (!known) {
                call.whenDone(() -> ended(key, call));
            }
        }
    }

    private void ended(AsideKey key, Call call) {
        synchronized (state) {
            if (key.running() == call && key.isQueued()) {
                key.lane().asideKeys().schedule(key, work.now());
            }
        }
        dispatchSoon.run();
    }

    // ---- draining

    private final class Worker implements WorkerTask {
        private final Lane lane;
        private final List<AsideKey> keys;
        private final HandlerWatch watch;

        Worker(Lane lane, List<AsideKey> keys, HandlerWatch watch) {
            this.lane = lane;
            this.keys = keys;
            this.watch = watch;
        }

        @Override
        public void run() {
            drain(lane, keys, watch);
        }

        @Override
        public void undo() {
            undrain(watch);
        }
    }

    private void undrain(HandlerWatch watch) {
        synchronized (state) {
            MemberState.Draining given = state.draining.remove(watch);
            if (given != null) {
                given.keys().forEach(key -> again(key, Duration.ZERO));
            }
        }
    }

    private void drain(Lane lane, List<AsideKey> keys, HandlerWatch watch) {
        @Nullable Throwable failure = null;
        Map<AsideKey, AfterDrain> nexts = new HashMap<>();
        try {
            nexts.putAll(drainer.drain(lane, keys, watch));
        } catch (Throwable thrown) {
            failure = thrown;
        }
        if (watch.isGivenUp()) {
            return;
        }
        synchronized (state) {
            state.draining.remove(watch);
            for (AsideKey key : keys) {
                AfterDrain next = nexts.get(key);
                if (next == null) {
                    again(key, options.pauseAfter(3));
                } else {
                    follow(key, next);
                }
            }
        }
        if (failure != null && FailureVerdicts.isFenced(failure)) {
            failures.resync(List.of(lane), false);
        } else if (failure != null) {
            failures.met(failure);
        }
        dispatch.run();
    }

    @GuardedBy("state")
    private void follow(AsideKey key, AfterDrain next) {
        AsideKeys aside = key.lane().asideKeys();
        key.setSlow(key.isSlow() || next.isSlow());
        key.setRunning(null);
        key.setMost(next.most());
        aside.setAway(key, next.outage());
        PostponedKey failure = next.failure();
        if (failure == null) {
            key.setAttempts(0);
        } else {
            key.setAttempts(failure.attempts());
            aside.setParked(key, failure.state() == AsideEntry.State.PARKED);
        }
        Call call = next.call();
        if (call != null) {
            aside.drainLater(key);
            await(key, call, work.now());
        } else if (next.isRecovered() && !key.wasPassedOver()) {
            aside.recover(key);
            if (!key.isSlow()) {
                work.slowKeys().remove(key.key());
            }
        } else {
            again(key, next.pause());
        }
    }

    private void again(AsideKey key, Duration pause) {
        key.lane().asideKeys().drainAgain(key, work.now() + pause.toNanos());
    }

    /** A handler that did not return: the attempt counts, and the lane gets another epoch. */
    void giveUp(HandlerWatch watch, List<Message> unit) {
        MemberState.Draining stuck;
        synchronized (state) {
            stuck = state.draining.remove(watch);
        }
        if (stuck == null) {
            return;
        }
        UnitFailed failed = new UnitFailed(unit, Verdict.RETRY, DID_NOT_RETURN, new IllegalStateException("stuck"));
        Map<AsideKey, AfterDrain> nexts = new HashMap<>();
        for (AsideKey key : stuck.keys()) {
            boolean isIt = key.key().equals(unit.get(0).key());
            nexts.put(
                    key,
                    isIt
                            ? AfterDrain.failed(failed, key.key(), key.attempts(), options)
                            : AfterDrain.again(Duration.ZERO, key.most()));
        }
        List<PostponedKey> postponed = new ArrayList<>();
        nexts.values().forEach(next -> {
            if (next.failure() != null) {
                postponed.add(next.failure());
            }
        });
        try {
            work.transactions().runFenced(stuck.lane(), connection -> work.sql().postpone(connection, postponed));
        } catch (Exception failure) {
            log.warn("{}: an attempt that did not return could not be recorded: {}", options, failure.getMessage());
        }
        synchronized (state) {
            nexts.forEach(this::follow);
            stuck.lane().leave();
            work.calls().giveUp(unit); // the lane does not wait for it
        }
        dispatch.run();
    }
}
