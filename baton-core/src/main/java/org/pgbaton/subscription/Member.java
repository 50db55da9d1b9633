package org.pgbaton.subscription;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.database.LineLogger;
import org.pgbaton.hub.Sight;
import org.pgbaton.hub.Watcher;
import org.pgbaton.member.Part;
import org.pgbaton.member.Tenure;
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
 * <p>Everything that happens (a look, a lane taken, a batch done, a timer) changes the state under one monitor and then calls
 * {@link #dispatch}, which hands out whatever can be worked on. Nobody waits in here, and nobody talks to the database under the monitor.
 *
 * <p>The state and the monitor are the {@link Board}. Its duties are shared by {@link Ownership} (which lanes are ours), {@link Claims}
 * (handing out work), {@link Drains} (keys that were set aside), {@link Trouble} (what follows from it), {@link Reload} (what operators did)
 * and {@link EverySecond} (what the clock does); here is what others see of them.
 */
final class Member implements Watcher, Part {
    private static final Logger log = LineLogger.of(Member.class);

    private final Workshop shop;
    private final Options options;
    private final Crew crew;
    private final Executor workers;
    private final Board board;
    private final Alarm alarm;
    private final Ownership ownership;
    private final Trouble trouble;
    private final Claims claims;
    private final Drains drains;
    private final Reload reload;
    private final EverySecond clock;
    private final AtomicBoolean dispatching = new AtomicBoolean();
    private final Strangers strangers;
    private final Standing standing;
    private final CompletableFuture<Sight> firstSight = new CompletableFuture<>();

    Member(Crew crew, Workshop shop, Executor workers, Map<Integer, Store.Row> checkpoints) {
        this.crew = crew;
        this.shop = shop;
        this.options = shop.options;
        this.workers = workers;
        this.board = new Board(options, shop.nanos.getAsLong());
        this.alarm = new Alarm(crew, board, this::dispatch);
        this.ownership = new Ownership(this, crew, shop, board, checkpoints);
        this.trouble = new Trouble(crew, shop, board, ownership, this::dispatch);
        this.drains = new Drains(shop, board, trouble, alarm, this::dispatch, this::dispatchSoon);
        this.claims = new Claims(shop, board, trouble, drains, this::dispatch);
        this.reload = new Reload(crew, shop, board, this::dispatch);
        this.strangers =
                new Strangers(shop.database, shop.subscription, options.log().name());
        this.clock = new EverySecond(crew, shop, board, trouble, drains, reload, strangers, this::dispatch);
        this.standing = new Standing(this, crew.hub(), shop.lease, shop.nanos);
    }

    // ---- what is known of it

    Options options() {
        return options;
    }

    Counters counters() {
        return shop.counters;
    }

    CompletableFuture<Sight> firstSight() {
        return firstSight;
    }

    Sight lastSight(Sight otherwise) {
        synchronized (board) {
            Sight seen = board.sight;
            return seen == null ? otherwise : seen;
        }
    }

    @Override
    public int subscription() {
        return shop.subscription;
    }

    /** What it is meant to do, and if that is to run, whether it does. */
    SubscriptionState state() {
        SubscriptionState meant = meant();
        return meant == SubscriptionState.RUNNING ? standing.now() : meant;
    }

    private SubscriptionState meant() {
        synchronized (board) {
            return board.state;
        }
    }

    @Nullable
    String note() {
        synchronized (board) {
            return board.note == null ? board.trouble : board.note;
        }
    }

    /** Those of which it is certain that they are ours. */
    int ownedLanes() {
        synchronized (board) {
            return (int) board.lanes.values().stream()
                    .filter(lane -> lane.tenure.isTrusted())
                    .count();
        }
    }

    /** How many lanes should be ours; -1 while nobody knows. */
    int share() {
        synchronized (board) {
            return ownership.share();
        }
    }

    int keysAside() {
        return board.keysAside();
    }

    int keysParked() {
        return board.keysParked();
    }

    @Nullable
    String outage() {
        return board.outage();
    }

    /** Who holds locks of ours; null: nobody. */
    @Nullable
    String strangers() {
        return strangers.trouble();
    }

    long behind() {
        return board.behind();
    }

    /** Handlers over their limit, each with its stack. */
    List<String> stuck() {
        return clock.overdue();
    }

    // ---- what the hub tells us

    @Override
    public void looked(Sight seen) {
        boolean news;
        synchronized (board) {
            board.sight = seen;
            board.lanes.values().forEach(lane -> lane.see(seen, options));
            news = reload.isDue(seen);
            ownership.rebalance(seen);
        }
        firstSight.complete(seen);
        if (news) {
            crew.execute(reload::run);
        }
        dispatch();
    }

    @Override
    public void blind() {
        synchronized (board) {
            board.sight = null;
            for (Lane lane : board.lanes.values()) {
                lane.frontier = 0;
                // Without a lock nothing tells us that the server was away; so it is taken anew, from what is stored.
                lane.leaving |= options.mode() == InstanceMode.SINGLE;
            }
        }
        dispatch();
    }

    @Override
    public boolean isHungry() {
        synchronized (board) {
            return !board.lanes.isEmpty() && (board.working.size() < options.workers() || feedsKeepUp());
        }
    }

    /** Each feed has a worker of its own for as long as a transaction takes: then all may be busy, and still there is nothing left to do. */
    private boolean feedsKeepUp() {
        return board.lanes.values().stream().allMatch(lane -> lane.hasFeed() && (lane.busy || !lane.hasWork()));
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
    public void tookAll() {
        ownership.tookAll();
    }

    @Override
    public void waits(String forWhom) {
        synchronized (board) {
            board.note = forWhom;
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
        List<Task> tasks = new ArrayList<>();
        synchronized (board) {
            ownership.releaseLeaving();
            long now = shop.nanos.getAsLong();
            if (board.isOpen()) {
                if (now - board.pausedUntil >= 0) {
                    claims.handOut(tasks);
                    drains.handOut(tasks, now);
                } else {
                    alarm.set(board.pausedUntil, now);
                }
            }
        }
        tasks.forEach(this::execute);
    }

    /** For threads that are not ours, and for many at once: they leave at once, and it is done once. */
    private void dispatchSoon() {
        if (dispatching.compareAndSet(false, true)) {
            crew.execute(() -> {
                dispatching.set(false);
                dispatch();
            });
        }
    }

    private void execute(Task task) {
        try {
            workers.execute(task.work());
        } catch (RejectedExecutionException | Error refused) {
            task.undo().run();
            if (!shop.stopping) {
                trouble.met(new HandlerException(Verdict.OUTAGE, "The executor refuses work: " + refused, refused));
            }
        }
    }

    // ---- beginning and ending

    void begin(Store.State stored) {
        synchronized (board) {
            board.setState(stored);
        }
        dispatch();
    }

    /** No locks: every lane at once, by its epoch. */
    void takeAll() {
        ownership.takeAll();
    }

    /** If messages could be missed, it stops, everywhere, until somebody has put it right and resumes it. */
    void compared(List<Unsafe> unsafe) {
        if (unsafe.isEmpty() || meant() != SubscriptionState.RUNNING) {
            return;
        }
        String text = Unsafe.describe(options.log().name(), unsafe);
        if (unsafe.stream().anyMatch(Unsafe::grave)) {
            trouble.met(new DatabaseException(Fault.UNSUITABLE, text));
            return;
        }
        synchronized (board) {
            if (!text.equals(board.note)) {
                log.warn("{}: {}", options, text);
            }
            board.note = text;
        }
    }

    void tick() {
        standing.now();
        board.forgetTrouble(shop.nanos.getAsLong(), share());
        clock.tick();
    }

    /** Nothing new is begun; blocks until what was begun has ended, or is given up. */
    void finish() {
        long patience = shop.nanos.getAsLong()
                + options.limit().plus(Workshop.GRACE).plusSeconds(1).toNanos();
        shop.stopping = true;
        synchronized (board) {
            board.closing = true;
            while ((!board.working.isEmpty() || !board.draining.isEmpty() || shop.isCalling())
                    && shop.nanos.getAsLong() < patience) {
                try {
                    board.wait(10);
                } catch (InterruptedException inAHurry) {
                    Thread.currentThread().interrupt();
                    break;
                }
            }
            ownership.abandonAll();
            board.state = SubscriptionState.CLOSED;
        }
        shop.interruptCalls();
    }
}
