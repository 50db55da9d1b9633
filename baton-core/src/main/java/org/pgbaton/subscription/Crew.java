package org.pgbaton.subscription;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.pgbaton.database.BatonException;
import org.pgbaton.database.LineLogger;
import org.pgbaton.hub.Hub;
import org.pgbaton.hub.Sight;
import org.pgbaton.log.LogTable;
import org.pgbaton.log.Logs;
import org.pgbaton.member.LaneSession;
import org.pgbaton.session.Database;
import org.pgbaton.session.Lease;
import org.slf4j.Logger;

/**
 * All members of one {@code Baton}, and what they share: the hub, the session with their locks, a clock, some threads. Not API: get a
 * subscription from {@code Baton}. Thread-safe.
 */
public final class Crew implements AutoCloseable {
    private static final Logger log = LineLogger.of(Crew.class);
    private static final Duration FIRST_SIGHT = Duration.ofSeconds(30);
    private static final Duration SETTLE = Duration.ofSeconds(1);
    private static final Duration RETAIN_EVERY = Duration.ofSeconds(30);
    /** Somebody may change what we rest on at any time. */
    private static final Duration COMPARE_EVERY = Duration.ofSeconds(3);

    private final Database database;
    private final Lease lease;
    private final LongSupplier nanos;
    private final Store store;
    private final Hub hub;
    private final LaneSession session;
    private final ScheduledThreadPoolExecutor clock;
    private final ExecutorService threads = Executors.newCachedThreadPool(named("baton-crew"));
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
    private final List<Consumer<Subscription>> listeners = new CopyOnWriteArrayList<>();
    private final Map<Integer, Integer> subscriptionOf = new ConcurrentHashMap<>();
    private final AtomicBoolean asking = new AtomicBoolean();
    private final AtomicBoolean retaining = new AtomicBoolean();
    private volatile boolean closed;

    public Crew(Database database, Lease lease, LongSupplier nanos) {
        this.database = database;
        this.lease = lease;
        this.nanos = nanos;
        this.store = new Store(database);
        this.hub = new Hub(database, nanos);
        this.session = new LaneSession(database, lease, nanos);
        this.clock = new ScheduledThreadPoolExecutor(1, named("baton-timer"));
        clock.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        clock.setRemoveOnCancelPolicy(true);
    }

    public SubscriptionBuilder subscription(String name) {
        return new SubscriptionBuilder(this, name);
    }

    /** For operators. */
    public Subscriptions operations() {
        return new Subscriptions(this);
    }

    /** Those that run in this process. */
    public List<Subscription> subscriptions() {
        return List.copyOf(subscriptions);
    }

    /** Is told every subscription that starts in this process. */
    public void addListener(Consumer<Subscription> listener) {
        listeners.add(listener);
    }

    Database database() {
        return database;
    }

    Store store() {
        return store;
    }

    public Hub hub() {
        return hub;
    }

    LaneSession session() {
        return session;
    }

    void execute(Runnable task) {
        try {
            threads.execute(task);
        } catch (RejectedExecutionException afterClosing) {
            log.debug("Nothing is begun any more");
        }
    }

    /** @param task short, or it would hold up everybody's clock */
    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for it
    void later(Runnable task, Duration delay) {
        try {
            clock.schedule(() -> execute(task), delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException afterClosing) {
            log.debug("Nothing is begun any more");
        }
    }

    /** Which of the live members belong to that subscription. A number that is new to us is looked up, and counts from the next look on. */
    Set<Integer> aliveIn(int subscription, Set<Integer> alive) {
        Set<Integer> ours = new HashSet<>();
        boolean unknown = false;
        for (int number : alive) {
            Integer of = subscriptionOf.get(number);
            unknown |= of == null;
            if (of != null && of == subscription) {
                ours.add(number);
            }
        }
        if (unknown && asking.compareAndSet(false, true)) {
            execute(this::lookMembersUp);
        }
        return ours;
    }

    private void lookMembersUp() {
        try {
            Map<Integer, Integer> all = new HashMap<>(store.members());
            subscriptionOf.putAll(all);
            subscriptionOf.keySet().retainAll(all.keySet());
            hub.stir();
        } catch (BatonException trouble) {
            log.debug("The members cannot be read", trouble);
        } finally {
            asking.set(false);
        }
    }

    Subscription start(Options options) {
        if (closed) {
            throw new IllegalStateException("This Baton is closed: open another one.");
        }
        store.requireSane(options.log());
        Store.Registered registered = store.register(options);
        new Destination(new Operator(database), options, registered.id()).claim();
        Executor ownThreads = Executors.newCachedThreadPool(named("baton-" + options.name()));
        Executor theirs = options.executor();
        boolean projects = options.handling().isProjection();
        Workshop shop = new Workshop(
                options,
                database,
                registered.id(),
                lease,
                nanos,
                theirs == null || projects ? ownThreads : theirs,
                threads);
        Member member = new Member(
                this, shop, theirs == null || !projects ? ownThreads : theirs, store.checkpoints(registered.id()));
        Subscription subscription = new Subscription(this, member, (ExecutorService) ownThreads);
        try {
            start(member, registered, subscription);
        } catch (RuntimeException failed) {
            subscription.close();
            throw failed;
        }
        return subscription;
    }

    private void start(Member member, Store.Registered registered, Subscription subscription) {
        Options options = member.options();
        hub.watch(options.log(), member);
        if (registered.isNew()) {
            begin(member, registered);
        }
        if (options.mode() == InstanceMode.SINGLE) {
            member.takeAll();
        } else {
            int number = session.join(member, member.wantsToBeAlone());
            if (number < 0) {
                throw new SubscriptionException("The " + options + " has just been deleted.");
            }
            if (number == 0) {
                hub.unwatch(member);
                if (options.mode() == InstanceMode.FAIL) {
                    throw new SubscriptionTakenException(options.name());
                }
                subscription.skipped();
                return;
            }
            new Destination(new Operator(database), options, registered.id()).confirm();
        }
        member.begin(store.state(registered.id()));
        subscriptions.add(subscription);
        listeners.forEach(listener -> listener.accept(subscription));
        everySecond(member);
        if (retaining.compareAndSet(false, true)) {
            later(this::retain, RETAIN_EVERY);
            later(this::compare, COMPARE_EVERY);
        }
    }

    /** Looks whether the logs that are read here are still as they must be. */
    private void compare() {
        later(this::compare, COMPARE_EVERY);
        Map<String, List<Unsafe>> known = new HashMap<>();
        for (Subscription subscription : subscriptions) {
            try {
                Member member = subscription.member();
                LogTable read = member.options().log();
                member.compared(known.computeIfAbsent(read.name(), name -> store.unsafe(read)));
            } catch (BatonException trouble) {
                log.debug("{} could not be compared", subscription, trouble);
            }
        }
    }

    /** Removes what every subscription has passed and is old enough, from the logs that are read here. */
    private void retain() {
        later(this::retain, RETAIN_EVERY);
        Logs logs = new Logs(database);
        subscriptions.stream().map(Subscription::log).distinct().forEach(name -> {
            try {
                while (!closed && logs.retainOnce(name) > 0) {
                    log.debug("Old rows of log '{}' are removed", name);
                }
            } catch (BatonException trouble) {
                log.warn("Old rows of log '{}' are not removed: {}", name, trouble.getMessage());
            }
        });
    }

    private void begin(Member member, Store.Registered registered) {
        Set<Integer> lanes = new HashSet<>();
        store.checkpoints(registered.id()).values().forEach(row -> lanes.add(row.lane()));
        Map<Integer, Long> starts = new HashMap<>();
        if (member.options().start() instanceof Start.After after) {
            lanes.forEach(lane -> starts.put(lane, after.position()));
        } else {
            starts.putAll(now(member, lanes));
        }
        store.begin(registered.id(), starts);
    }

    /**
     * The frontier of each lane. But the first look does not know how old the open transactions are that it sees: what they wrote must not be
     * missed, and the whole history before them must not be handled. Most end soon; for the others it is looked up when they began. All lanes
     * wait together.
     */
    private Map<Integer, Long> now(Member member, Set<Integer> lanes) {
        Options options = member.options();
        Sight sight = firstSight(member);
        long end = sight.end();
        long start = nanos.getAsLong();
        Map<Integer, Long> starts = new HashMap<>();
        while (true) {
            for (int lane : lanes) {
                if (!starts.containsKey(lane) && options.frontier(sight, lane) >= end) {
                    starts.put(lane, options.frontier(sight, lane));
                }
            }
            Duration waited = Duration.ofNanos(nanos.getAsLong() - start);
            if (waited.compareTo(SETTLE) >= 0) {
                for (int lane : lanes) {
                    if (!starts.containsKey(lane)) {
                        store.beforeOpenWriters(options, lane).ifPresent(before -> starts.put(lane, before));
                    }
                }
            }
            if (starts.size() == lanes.size()) {
                return starts;
            }
            if (waited.compareTo(FIRST_SIGHT) > 0) {
                String log = options.log().name();
                throw new SubscriptionException("The " + options
                        + " cannot begin now: a transaction that wrote to log '" + log
                        + "' is open, and it cannot be told since when ('baton logs show " + log
                        + "' names it). End it and try again, or begin after a position.");
            }
            hub.stir();
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
            sight = member.lastSight(sight);
        }
    }

    private static Sight firstSight(Member member) {
        try {
            return member.firstSight().get(FIRST_SIGHT.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException blind) {
            throw new SubscriptionException(
                    "The end of log '" + member.options().log().name() + "' could not be read within "
                            + FIRST_SIGHT.toSeconds() + " s; see the application's log output.");
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
            throw new SubscriptionException("Interrupted while starting " + member.options() + ".");
        }
    }

    private void everySecond(Member member) {
        later(
                () -> {
                    if (member.state() != SubscriptionState.CLOSED) {
                        everySecond(member);
                        member.tick();
                    }
                },
                Duration.ofSeconds(1));
    }

    void ended(Subscription subscription) {
        subscriptions.remove(subscription);
    }

    void leave(Member member) {
        hub.unwatch(member);
        member.finish();
        if (member.options().mode() != InstanceMode.SINGLE) {
            session.leave(member);
        }
    }

    @Override
    public void close() {
        closed = true;
        subscriptions.forEach(Subscription::close);
        hub.close();
        session.close();
        clock.shutdownNow();
        threads.shutdown();
    }

    private static ThreadFactory named(String prefix) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
