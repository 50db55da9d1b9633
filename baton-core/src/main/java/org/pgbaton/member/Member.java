package org.pgbaton.member;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.pgbaton.batch.Batches;
import org.pgbaton.checkpoint.ForeignLocks;
import org.pgbaton.checkpoint.StoredState;
import org.pgbaton.checkpoint.UnsafeLog;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.drain.Drainer;
import org.pgbaton.handling.HandlerWatch;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.handling.WorkCounters;
import org.pgbaton.hub.Sight;
import org.pgbaton.hub.Watcher;
import org.pgbaton.lane.Lane;
import org.pgbaton.lane.LaneOwner;
import org.pgbaton.lane.Tenure;
import org.pgbaton.session.Lease;
import org.pgbaton.session.LineLogger;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.InstanceMode;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.work.WorkContext;
import org.slf4j.Logger;

/**
 * This process's part in one subscription: which lanes it owns, and who works for them.
 *
 * <pre>
 *   lane:  free ── lock, epoch, checkpoint ──► owned, idle ◄──► claimed by a worker (busy)
 *            ▲                                    │                   │ fenced, or the session lost
 *            └───────── surplus, between batches ─┴───────────────────┘
 * </pre>
 *
 * <p>Everything that happens (a look, a lane taken, a batch done, a timer) changes the {@link MemberState} under its monitor and then calls
 * {@link #dispatch}, which hands out whatever can be worked on. Nobody waits in here, and nobody talks to the database under the monitor.
 *
 * <p>The duties are shared by {@link LaneOwnership} (which lanes are ours), {@link Claims} (handing out lanes), {@link Drains} (keys that
 * are set aside), {@link FailureResponse} (what follows when something goes wrong), {@link OperatorChanges} (what operators did), {@link
 * OverdueHandlers} and {@link IdleLanes}; here is what others see of them.
 */
public final class Member implements Watcher, LaneOwner {
    private static final Logger log = LineLogger.of(Member.class);

    /** In seconds: how often everything is read again, in case something was missed. */
    private static final int RELOAD_EVERY = 30;
    /** In seconds: so far apart are two such reads of different members of a process, on average, however many there are. */
    private static final int RELOADS_APART = 3;
    /** In seconds: locks that others hold are told soon, and looking costs one statement. */
    private static final int FOREIGN_LOCKS_EVERY = 3;

    private final int subscription;
    private final WorkContext work;
    private final SubscriptionOptions options;
    private final Executor background;
    private final Executor workers;
    private final MemberState state;
    private final DispatchTimer timer;
    private final LaneOwnership ownership;
    private final FailureResponse failures;
    private final Claims claims;
    private final Drains drains;
    private final OperatorChanges operatorChanges;
    private final OverdueHandlers overdue;
    private final IdleLanes idleLanes;
    private final ForeignLocks foreignLocks;
    private final Standing standing;
    private final AtomicBoolean dispatching = new AtomicBoolean();
    private final CompletableFuture<Sight> firstSight = new CompletableFuture<>();
    private final AtomicInteger ticks = new AtomicInteger();

    /** @param workers where batches and drains run */
    public Member(
            int subscription,
            WorkContext work,
            MemberServices services,
            ForeignLocks foreignLocks,
            Lease lease,
            Executor workers) {
        this.subscription = subscription;
        this.work = work;
        this.options = work.options();
        this.background = services.background();
        this.workers = workers;
        this.foreignLocks = foreignLocks;
        this.state = new MemberState(options, work.now());
        this.timer = new DispatchTimer(services.background(), state, this::dispatch);
        this.ownership = new LaneOwnership(this, services, work, state);
        this.failures = new FailureResponse(services.background(), work, state, ownership, this::dispatch);
        this.drains = new Drains(work, new Drainer(work), state, failures, timer, this::dispatch, this::dispatchSoon);
        this.claims = new Claims(work, new Batches(work), state, failures, drains, this::dispatch);
        this.operatorChanges = new OperatorChanges(services.store(), subscription, work, state, this::dispatch);
        this.overdue = new OverdueHandlers(work, state, failures, drains, this::dispatch);
        this.idleLanes = new IdleLanes(work, state, failures, background, this::dispatch);
        this.standing = new Standing(this::ownedLanes, this::share, services.hub(), lease, work.nanos());
    }

    // ---- what is known of it

    public SubscriptionOptions options() {
        return options;
    }

    public WorkCounters counters() {
        return work.counters();
    }

    public CompletableFuture<Sight> firstSight() {
        return firstSight;
    }

    public Sight lastSight(Sight otherwise) {
        synchronized (state) {
            Sight seen = state.sight;
            return seen == null ? otherwise : seen;
        }
    }

    @Override
    public int subscription() {
        return subscription;
    }

    /** The state that operators want; if that is RUNNING, whether it really runs. */
    public SubscriptionState state() {
        SubscriptionState meant = meant();
        return meant == SubscriptionState.RUNNING ? standing.now() : meant;
    }

    private SubscriptionState meant() {
        synchronized (state) {
            return state.status;
        }
    }

    @Nullable
    public String note() {
        synchronized (state) {
            return state.note == null ? state.trouble : state.note;
        }
    }

    /** Lanes that are certainly ours. */
    public int ownedLanes() {
        synchronized (state) {
            return (int) state.lanes.values().stream()
                    .filter(lane -> lane.tenure().isTrusted())
                    .count();
        }
    }

    /** How many lanes should be ours; -1 while nobody knows. */
    public int share() {
        synchronized (state) {
            return ownership.share();
        }
    }

    public int keysAside() {
        return state.keysAside();
    }

    public int keysParked() {
        return state.keysParked();
    }

    @Nullable
    public String outage() {
        return state.outage();
    }

    /** Whether an outage ended the last attempt; of everything, or of keys that are set aside. */
    public boolean isTargetAway() {
        return work.answers().wasAway() || outage() != null;
    }

    /** A sentence about sessions that hold locks of ours; null if there are none. */
    @Nullable
    public String foreignLocks() {
        return foreignLocks.trouble(subscription, options.log().name());
    }

    public long behind() {
        return state.behind();
    }

    /** Handlers over their limit, each with its stack. */
    public List<String> stuck() {
        return overdue.describe();
    }

    // ---- what the hub tells us

    @Override
    public void looked(Sight seen) {
        boolean news;
        synchronized (state) {
            state.sight = seen;
            state.lanes.values().forEach(lane -> lane.see(seen, options));
            news = operatorChanges.isDue(seen);
            ownership.rebalance(seen);
        }
        firstSight.complete(seen);
        if (news) {
            background.execute(operatorChanges::run);
        }
        dispatch();
    }

    @Override
    public void blind() {
        synchronized (state) {
            state.sight = null;
            for (Lane lane : state.lanes.values()) {
                lane.setFrontier(0);
                // Without a lock nothing tells us that the server was away; so it is taken anew, from what is stored.
                if (options.mode() == InstanceMode.SINGLE) {
                    lane.leave();
                }
            }
        }
        dispatch();
    }

    @Override
    public boolean isHungry() {
        synchronized (state) {
            return !state.lanes.isEmpty()
                    && !hasBacklog()
                    && (state.working.size() < options.workers() || feedsKeepUp());
        }
    }

    /** Every lane has about a batch of its own to read, so nobody waits for the next look. */
    @GuardedBy("state")
    private boolean hasBacklog() {
        long batches = (long) options.batch() * options.log().lanes();
        return state.lanes.values().stream().allMatch(lane -> lane.frontier() - lane.reached() > batches);
    }

    /**
     * Each feed has a worker of its own for as long as a transaction takes: then all may be busy, and still there is nothing left to do.
     */
    @GuardedBy("state")
    private boolean feedsKeepUp() {
        return state.lanes.values().stream().allMatch(lane -> lane.hasFeed() && (lane.isBusy() || !lane.hasWork()));
    }

    // ---- what the session tells us

    @Override
    public void joined(int number) {
        ownership.joined(number);
    }

    @Override
    public void took(Tenure tenure) {
        ownership.took(tenure);
    }

    @Override
    public void takeFinished() {
        ownership.takeFinished();
    }

    @Override
    public void waits(String forWhom) {
        synchronized (state) {
            state.note = forWhom;
        }
    }

    @Override
    public boolean wantsToBeAlone() {
        return options.mode() == InstanceMode.FAIL || options.mode() == InstanceMode.SKIP;
    }

    @Override
    public void ended(String why) {
        ownership.ended(why);
    }

    @Override
    public void lost(String why) {
        ownership.lost();
    }

    // ---- handing out work

    void dispatch() {
        List<WorkerTask> tasks = new ArrayList<>();
        synchronized (state) {
            ownership.releaseLeaving();
            long now = work.now();
            if (state.isOpen()) {
                if (now - state.pausedUntil >= 0) {
                    claims.handOut(tasks);
                    drains.handOut(tasks, now);
                } else {
                    timer.set(state.pausedUntil, now);
                }
            }
        }
        tasks.forEach(this::execute);
    }

    /** Dispatches on another thread, once for many calls: for callers that must not wait. */
    private void dispatchSoon() {
        if (dispatching.compareAndSet(false, true)) {
            background.execute(() -> {
                dispatching.set(false);
                dispatch();
            });
        }
    }

    private void execute(WorkerTask task) {
        try {
            workers.execute(task);
        } catch (RejectedExecutionException | Error refused) {
            task.undo();
            if (!work.calls().isStopping()) {
                failures.met(new HandlerException(Verdict.OUTAGE, "The executor refuses work: " + refused, refused));
            }
        }
    }

    // ---- beginning and ending

    public void startWork(StoredState stored) {
        synchronized (state) {
            state.setState(stored);
        }
        dispatch();
    }

    /** No locks: every lane at once, by its epoch. */
    public void takeAll() {
        ownership.takeAll();
    }

    /** Stops the subscription in all processes if messages could be missed, until somebody has repaired the log and resumes it. */
    public void checked(List<UnsafeLog> unsafe) {
        if (unsafe.isEmpty() || meant() != SubscriptionState.RUNNING) {
            return;
        }
        String text = UnsafeLog.describe(options.log().name(), unsafe);
        if (unsafe.stream().anyMatch(UnsafeLog::grave)) {
            failures.met(new DatabaseException(Fault.UNSUITABLE, text));
            return;
        }
        synchronized (state) {
            if (!text.equals(state.note)) {
                log.warn("{}: {}", options, text);
            }
            state.note = text;
        }
    }

    /**
     * Once a second. One that takes long does not hold up the next.
     *
     * @param members how many are in this process
     */
    public void tick(int members) {
        standing.now();
        state.forgetTrouble(work.now(), share());
        overdue.interrupt();
        idleLanes.store();
        int tick = ticks.incrementAndGet();
        if (tick % FOREIGN_LOCKS_EVERY == 0 && meant() == SubscriptionState.RUNNING) {
            background.execute(foreignLocks::look);
        }
        if (tick % Math.max(RELOAD_EVERY, RELOADS_APART * members) == 0) {
            operatorChanges.run();
        }
    }

    /** Begins nothing new, and blocks until all running work has ended or is given up. */
    public void finish() {
        long patience = work.now()
                + options.limit().plus(HandlerWatch.GRACE).plusSeconds(1).toNanos();
        work.calls().stop();
        synchronized (state) {
            state.closing = true;
            while ((!state.working.isEmpty()
                            || !state.draining.isEmpty()
                            || work.calls().isCalling())
                    && work.now() < patience) {
                try {
                    state.wait(10);
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                    break;
                }
            }
            ownership.abandonAll();
            state.status = SubscriptionState.CLOSED;
        }
        work.calls().interruptAll();
    }
}
