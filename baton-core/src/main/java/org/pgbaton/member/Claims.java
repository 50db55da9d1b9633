package org.pgbaton.member;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.batch.Batch;
import org.pgbaton.batch.BatchAttempt;
import org.pgbaton.batch.Batches;
import org.pgbaton.handling.Call;
import org.pgbaton.handling.FailureVerdicts;
import org.pgbaton.handling.HandlerWatch;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.lane.AsideEntry;
import org.pgbaton.lane.AsideKey;
import org.pgbaton.lane.Claim;
import org.pgbaton.lane.Lane;
import org.pgbaton.session.LineLogger;
import org.pgbaton.session.LogFields;
import org.pgbaton.subscription.InstanceMode;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.work.RowReader;
import org.pgbaton.work.WorkContext;
import org.slf4j.Logger;

/**
 * Hands out lanes that have something to read. A worker claims some of them, works batch after batch, and gives them back; after each
 * batch it updates the state: how far its lanes are, which keys it set aside, and whether something is wrong.
 *
 * <p>Guarded by the {@link MemberState}: who is {@linkplain MemberState#working working}, the suspects, and which lane is busy. A worker
 * holds the monitor only between two batches.
 */
final class Claims {
    private static final Logger log = LineLogger.of(Claims.class);

    /** Lanes further apart than so many batches are not read together. */
    private static final int IN_STEP = 20;
    /** Other lanes want their turn. */
    private static final Duration LONGEST_CLAIM = Duration.ofMillis(200);
    /** At most so many keys flow again with one close, which should be short. */
    private static final int FLOW_AGAIN = 500;

    private final WorkContext work;
    private final Batches batches;
    private final SubscriptionOptions options;
    private final MemberState state;
    private final FailureResponse failures;
    private final Drains drains;
    private final Runnable dispatch;

    @GuardedBy("state")
    private long serving;

    Claims(
            WorkContext work,
            Batches batches,
            MemberState state,
            FailureResponse failures,
            Drains drains,
            Runnable dispatch) {
        this.work = work;
        this.batches = batches;
        this.options = work.options();
        this.state = state;
        this.failures = failures;
        this.drains = drains;
        this.dispatch = dispatch;
    }

    void handOut(List<WorkerTask> tasks) {
        synchronized (state) {
            for (Claim claim = claim(); claim != null; claim = claim()) {
                HandlerWatch watch = new HandlerWatch();
                state.working.put(claim, watch);
                tasks.add(new Worker(claim, watch));
            }
        }
    }

    /** The lane that was served longest ago, and others that can be read together with it. Null if there is nothing to do. */
    @GuardedBy("state")
    private @Nullable Claim claim() {
        if (state.working.size() >= options.workers()) {
            return null;
        }
        List<Lane> ready = state.lanes.values().stream()
                .filter(lane -> !lane.isBusy()
                        && mayBeRead(lane)
                        && lane.hasWork()
                        && lane.tenure().isTrusted())
                .sorted(Comparator.comparingLong(Lane::servedAt).thenComparingLong(Lane::reached))
                .toList();
        if (ready.isEmpty()) {
            return null;
        }
        Lane first = ready.get(0);
        long step = (long) options.batch() * IN_STEP;
        List<Lane> inStep = ready.stream()
                .filter(lane -> Math.abs(lane.reached() - first.reached()) <= step)
                .toList();
        boolean little = first.frontier() - first.reached() <= options.batch();
        int most = first.hasFeed()
                ? 1
                : little ? inStep.size() : (state.lanes.size() + options.workers() - 1) / options.workers();
        List<Lane> claimed = inStep.subList(0, Math.min(inStep.size(), Math.max(1, most)));
        serving++;
        for (Lane lane : claimed) {
            lane.claimed(serving);
        }
        return new Claim(claimed, options);
    }

    /** In total order nothing is read while messages of a key that is set aside wait. */
    private boolean mayBeRead(Lane lane) {
        return !lane.isLeaving()
                && !lane.isUnsure()
                && !(options.isTotal() && lane.asideKeys().hasWaitingMessages());
    }

    /** A surplus lane is given back as soon as none of its calls runs. */
    private boolean isWanted(Lane lane) {
        return !lane.isSurplus() || lane.isCalling();
    }

    /** Batch after batch, as long as there is more of what was claimed and nobody else wants the lanes. */
    private final class Worker implements WorkerTask {
        private final Claim claim;
        private final HandlerWatch watch;

        Worker(Claim claim, HandlerWatch watch) {
            this.claim = claim;
            this.watch = watch;
        }

        @Override
        public void run() {
            long until = work.now() + LONGEST_CLAIM.toNanos();
            RowReader.@Nullable Rows ahead = null;
            try {
                do {
                    Batch batch = next(claim, watch, ahead);
                    @Nullable Throwable failure = null;
                    try {
                        batch.run();
                        failure = batch.interruption();
                    } catch (Throwable thrown) {
                        failure = thrown;
                    }
                    boolean goesOn = !watch.isGivenUp() && ended(claim, batch, failure) && work.now() <= until;
                    ahead = goesOn ? batch.ahead() : null;
                } while (ahead != null && keeps(claim));
            } finally {
                if (!watch.isGivenUp()) { // else somebody else works for these lanes now
                    state.unclaim(claim);
                    dispatch.run();
                }
            }
        }

        @Override
        public void undo() {
            state.unclaim(claim);
        }
    }

    private boolean keeps(Claim claim) {
        synchronized (state) {
            return state.isOpen()
                    && claim.lanes().stream().allMatch(lane -> !lane.isGone() && mayBeRead(lane) && isWanted(lane));
        }
    }

    /** Keys that have recovered. That stays so while the lane is claimed, since only its worker passes messages over. */
    private static Map<String, AsideKey> flowing(Claim claim) {
        Map<String, AsideKey> all = new HashMap<>();
        for (Lane lane : claim.lanes()) {
            lane.asideKeys().someRecovered(FLOW_AGAIN - all.size()).forEach(key -> all.put(key.key(), key));
        }
        return all;
    }

    private Batch next(Claim claim, HandlerWatch watch, RowReader.@Nullable Rows ahead) {
        synchronized (state) {
            return batches.of(claim, watch, new Batch.Given(Map.copyOf(state.suspects), flowing(claim), ahead));
        }
    }

    /** @return whether it went well */
    private boolean ended(Claim claim, Batch batch, @Nullable Throwable failure) {
        boolean done = failure == null || failure == batch.interruption();
        if (!done) {
            failures.resync(claim.lanes(), true);
        }
        work.counters().addBatch(batch.nanos());
        synchronized (state) {
            if (done) {
                advance(claim, batch);
            }
            if (batch.givesLanesUp() || (FailureVerdicts.isFenced(failure) && options.mode() != InstanceMode.SINGLE)) {
                claim.lanes().forEach(Lane::leave);
            }
            if (failure == null) {
                wentWell(!batch.outcome().todo().isEmpty());
            }
        }
        if (failure != null) {
            failures.met(failure);
        }
        return failure == null;
    }

    @GuardedBy("state")
    private void wentWell(boolean handledAny) {
        if (handledAny) {
            work.answers().setAway(false);
            state.lanes.values().forEach(lane -> lane.asideKeys().hurryThoseAway(work.now()));
        }
        state.outagePause.reset();
        state.trouble = null;
        state.note = state.status == SubscriptionState.RUNNING ? null : state.note;
    }

    @GuardedBy("state")
    private void advance(Claim claim, Batch batch) {
        BatchAttempt outcome = batch.outcome();
        work.counters().addHandled(outcome.todo().size());
        for (Lane lane : claim.lanes()) {
            lane.advance(claim.reached(lane, outcome.upTo()));
            Long stored = batch.closed().get(lane);
            if (stored != null) {
                lane.setStored(stored);
            }
        }
        long now = work.now();
        batch.flowing().values().forEach(key -> key.lane().asideKeys().forget(key.key()));
        outcome.passed().forEach(message -> claim.laneOf(message).asideKeys().passedOver(message.key(), now));
        outcome.asides().values().forEach(aside -> setAside(aside, outcome.running(aside.key()), now));
    }

    @GuardedBy("state")
    private void setAside(AsideEntry aside, @Nullable Call running, long now) {
        long dueAt = now + aside.waitMillis() * 1_000_000;
        AsideKey key = aside.lane().asideKeys().setAside(aside.key(), aside.isParked(), aside.attempts(), dueAt);
        if (running != null) {
            drains.await(key, running, now);
        }
        state.suspects.remove(aside.key());
        if (aside.error() != null) {
            log.warn(
                    "{}: key '{}' is set aside ({}): {}",
                    options,
                    LogFields.of("key", aside.key()),
                    aside.state().stored(),
                    aside.error());
        }
    }
}
