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
    /** Lanes are read together if they are at least one of so many lanes of the log: the read goes through the rows of all. */
    private static final int WIDE = 4;
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
                .filter(this::isReady)
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
        List<Lane> claimed = inStep.subList(0, Math.min(inStep.size(), Math.max(1, together(first, inStep.size()))));
        serving++;
        for (Lane lane : claimed) {
            lane.claimed(serving);
        }
        return new Claim(claimed, options);
    }

    /**
     * How many lanes one worker claims: its share of ours, all of them if there is little to read, and a single one if reading wide would
     * mean to go through many rows of other lanes, while the lane has whole batches of its own.
     */
    @GuardedBy("state")
    private int together(Lane first, int inStep) {
        if (first.hasFeed()) {
            return 1;
        }
        long waiting = first.frontier() - first.reached();
        if (waiting <= options.batch()) {
            return inStep;
        }
        int all = options.log().lanes();
        int share = (state.lanes.size() + options.workers() - 1) / options.workers();
        boolean isNarrow = Math.min(share, inStep) * WIDE < all;
        return isNarrow && waiting / all > options.batch() ? 1 : share;
    }

    private boolean isReady(Lane lane) {
        return !lane.isBusy()
                && mayBeRead(lane)
                && lane.hasWork()
                && lane.tenure().isTrusted();
    }

    /** Whether a lane could be read if the claim were over, or somebody else may want the thread, which is the application's. */
    private boolean makesOthersWait(Claim claim) {
        synchronized (state) {
            return options.executor() != null
                    || claim.hasWaitingLane()
                    || state.lanes.values().stream().anyMatch(this::isReady);
        }
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
            long lastBatch = 0;
            RowReader.@Nullable Rows ahead = null;
            try {
                do {
                    // What is read ahead for a claim is lost when the claim ends.
                    boolean readsAhead = goesOn(work.now() + lastBatch, until);
                    Batch batch = next(claim, watch, ahead, readsAhead);
                    @Nullable Throwable failure = null;
                    try {
                        batch.run();
                        failure = batch.interruption();
                    } catch (Throwable thrown) {
                        failure = thrown;
                    }
                    lastBatch = batch.nanos();
                    boolean went = !watch.isGivenUp() && ended(claim, batch, failure);
                    ahead = went && goesOn(work.now(), until) ? batch.ahead() : null;
                } while (ahead != null && keeps(claim));
            } finally {
                if (!watch.isGivenUp()) { // else somebody else works for these lanes now
                    state.unclaim(claim);
                    dispatch.run();
                }
            }
        }

        /** After its time a claim ends if somebody gains from that. */
        private boolean goesOn(long now, long until) {
            return now <= until || !makesOthersWait(claim);
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

    private Batch next(Claim claim, HandlerWatch watch, RowReader.@Nullable Rows ahead, boolean readsAhead) {
        synchronized (state) {
            return batches.of(
                    claim, watch, new Batch.Given(Map.copyOf(state.suspects), flowing(claim), ahead, readsAhead));
        }
    }

    /** @return whether it went well */
    private boolean ended(Claim claim, Batch batch, @Nullable Throwable failure) {
        boolean done = failure == null || failure == batch.interruption();
        if (!done) {
            failures.resync(claim.lanes(), true);
        }
        work.counters().addBatch(batch.nanos());
        work.reader().took(batch.size(), Duration.ofNanos(batch.nanos()));
        if (failure != null || !batch.outcome().asides().isEmpty()) {
            work.reader().failed();
        }
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
                    aside.inLog(),
                    aside.state().stored(),
                    aside.error());
        }
    }
}
