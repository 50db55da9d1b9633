package org.pgbaton;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.pgbaton.checkpoint.ForeignLocks;
import org.pgbaton.checkpoint.LogCheck;
import org.pgbaton.checkpoint.Registration;
import org.pgbaton.checkpoint.SubscriptionStore;
import org.pgbaton.handling.HandlerCalls;
import org.pgbaton.handling.LaneGroup;
import org.pgbaton.handling.OptionsBuilder;
import org.pgbaton.handling.SlowKeys;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.handling.TargetAnswers;
import org.pgbaton.handling.WorkCounters;
import org.pgbaton.hub.Hub;
import org.pgbaton.lane.LaneSession;
import org.pgbaton.member.Member;
import org.pgbaton.member.MemberDirectory;
import org.pgbaton.member.MemberServices;
import org.pgbaton.operator.PublishingDestination;
import org.pgbaton.session.BackgroundTasks;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Lease;
import org.pgbaton.subscription.InstanceMode;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionBuilder;
import org.pgbaton.subscription.SubscriptionException;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.subscription.SubscriptionTakenException;
import org.pgbaton.table.LogTable;
import org.pgbaton.table.TableLogs;
import org.pgbaton.work.RowReader;
import org.pgbaton.work.WorkContext;
import org.pgbaton.work.WorkSql;
import org.pgbaton.work.WorkTransactions;

/**
 * Starts and ends the subscriptions of one {@code Baton}. They share the hub, the session with their locks, and the threads for short
 * work. Thread-safe.
 */
final class RunningSubscriptions implements AutoCloseable {
    private final DatabaseAccess database;
    private final Lease lease;
    private final LongSupplier nanos;
    private final BackgroundTasks background;
    private final SubscriptionStore store;
    private final Registration registration;
    private final LogCheck logCheck;
    private final Hub hub;
    private final LaneSession session;
    private final MemberDirectory directory;
    private final ForeignLocks foreignLocks;
    private final LogUpkeep upkeep;
    private final List<RunningSubscription> running = new CopyOnWriteArrayList<>();
    private final List<Consumer<Subscription>> listeners = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    public RunningSubscriptions(DatabaseAccess database, Lease lease, LongSupplier nanos, BackgroundTasks background) {
        this.database = database;
        this.lease = lease;
        this.nanos = nanos;
        this.background = background;
        this.store = new SubscriptionStore(database);
        this.registration = new Registration(database);
        this.logCheck = new LogCheck(database);
        this.hub = new Hub(database, nanos);
        this.session = new LaneSession(database, lease, nanos);
        this.directory = new MemberDirectory(store::members, background, hub::stir);
        this.foreignLocks = new ForeignLocks(database, nanos);
        this.upkeep = new LogUpkeep(
                new TableLogs(database),
                logCheck,
                background,
                () -> running.stream().map(RunningSubscription::member).toList(),
                () -> closed);
    }

    /** A subscription to be described and started. */
    public SubscriptionBuilder builder(String name) {
        return new OptionsBuilder(log -> LogTable.named(database, log), this::start, name);
    }

    /** Those that run in this process. */
    public List<Subscription> all() {
        return List.copyOf(running);
    }

    /** Is told every subscription that starts in this process. */
    public void addListener(Consumer<Subscription> listener) {
        listeners.add(listener);
    }

    public Hub hub() {
        return hub;
    }

    private Subscription start(SubscriptionOptions options) {
        if (closed) {
            throw new IllegalStateException("This Baton is closed: open another one.");
        }
        logCheck.require(options.log());
        Registration.Registered registered = registration.register(options);
        PublishingDestination destination = new PublishingDestination(database, options, registered.id());
        destination.claim();
        ExecutorService ownThreads = Executors.newCachedThreadPool(BackgroundTasks.named("baton-" + options.name()));
        Member member = member(options, registered.id(), ownThreads);
        RunningSubscription subscription = new RunningSubscription(member, hub::isSeeing, closing -> {
            leave(member);
            running.remove(closing);
            ownThreads.shutdownNow();
        });
        try {
            start(subscription, registered, destination);
        } catch (RuntimeException failed) {
            subscription.close();
            throw failed;
        }
        return subscription;
    }

    private Member member(SubscriptionOptions options, int id, Executor ownThreads) {
        Executor theirs = options.executor();
        // A projection runs on its worker's thread; reactions are called on threads beside it.
        boolean projects = options.handling().isProjection();
        Executor callers = theirs == null || projects ? ownThreads : theirs;
        Executor workers = theirs == null || !projects ? ownThreads : theirs;
        TargetAnswers answers = new TargetAnswers(options.slow(), nanos);
        WorkSql sql = new WorkSql(database.schema(), options, id, lease);
        WorkContext work = new WorkContext(
                options,
                new WorkTransactions(options, database, sql),
                sql,
                new RowReader(options, database, background),
                new HandlerCalls(options, nanos, callers, answers),
                answers,
                new SlowKeys(),
                new WorkCounters(),
                nanos);
        MemberServices services = new MemberServices(store, session, hub, background, directory, store.checkpoints(id));
        return new Member(id, work, services, foreignLocks, lease, workers);
    }

    private void start(
            RunningSubscription subscription, Registration.Registered registered, PublishingDestination destination) {
        Member member = subscription.member();
        SubscriptionOptions options = member.options();
        hub.watch(options.log(), member);
        if (registered.isNew()) {
            recordFirstPositions(member, registered.id());
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
            destination.confirm();
        }
        member.startWork(store.state(registered.id()));
        running.add(subscription);
        listeners.forEach(listener -> listener.accept(subscription));
        everySecond(member);
        upkeep.start();
    }

    private void recordFirstPositions(Member member, int id) {
        Set<LaneGroup> groups = new HashSet<>();
        store.checkpoints(id).values().forEach(row -> groups.add(row.group()));
        Map<LaneGroup, Long> starts = new FirstPositions(registration, hub, nanos).find(member, groups);
        registration.recordFirstPositions(id, starts);
    }

    private void everySecond(Member member) {
        background.later(
                () -> {
                    if (member.state() != SubscriptionState.CLOSED) {
                        everySecond(member);
                        member.tick(running.size());
                    }
                },
                Duration.ofSeconds(1));
    }

    private void leave(Member member) {
        hub.unwatch(member);
        member.finish();
        if (member.options().mode() != InstanceMode.SINGLE) {
            session.leave(member);
        }
    }

    /** Ends all of them, and blocks until that is done. */
    @Override
    public void close() {
        closed = true;
        running.forEach(Subscription::close);
        hub.close();
        session.close();
    }
}
