package org.pgbaton.lane;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;
import org.pgbaton.session.Backoff;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Failpoint;
import org.pgbaton.session.Lease;
import org.pgbaton.session.LineLogger;
import org.pgbaton.session.Session;
import org.slf4j.Logger;

/**
 * The session that holds the member and lane locks of one process, and the thread that talks on it. Idle but for its heartbeat.
 *
 * <p>Taking a lane: its lock, by trying; then, as a transaction of its own, the next epoch and the checkpoint. If a transaction of the
 * former owner still holds the checkpoint's row, the lock is kept and the rest tried again, while other lanes go on. What former owners
 * left open is ended: {@link FormerWork}. Members never wait for each other's locks.
 *
 * <p>When the session is lost, every owner is told, and joins again once there is another session.
 *
 * <p>Threading: everything public may be called from any thread; owners are called by the session's own.
 */
public final class LaneSession implements AutoCloseable {
    private static final Logger log = LineLogger.of(LaneSession.class);

    private static final Duration LISTEN_EVERY = Duration.ofMillis(250);
    private static final String HEARTBEAT = "SELECT 1";
    private static final String JOIN = "SELECT ${schema}.join_subscription(?, ?, ?)";
    private static final String LEAVE = "SELECT ${schema}.leave_subscription(?)";
    private static final String TAKE = "SELECT epoch, reached, timeline FROM ${schema}.take_lane(?, ?, ?)";
    private static final String TRY_LANES = """
            SELECT id FROM unnest(?::integer[]) AS id
             WHERE pg_try_advisory_lock(${schema}.lock_class('${schema}.checkpoint'::regclass), id)""";
    private static final String FREE_LANE =
            "SELECT pg_advisory_unlock(${schema}.lock_class('${schema}.checkpoint'::regclass), ?)";

    private final DatabaseAccess database;
    private final Lease lease;
    private final LongSupplier nanos;
    private final BlockingQueue<Task> tasks = new LinkedBlockingQueue<>();

    // Of the session's thread alone.
    private final Map<LaneOwner, Integer> numbers = new LinkedHashMap<>();
    /**
     * By checkpoint. A session can take the same lock twice, and the same subscription may run twice in one process; so nothing is asked
     * for that is held.
     */
    private final Map<CheckpointId, LaneOwner> held = new HashMap<>();
    /** Locked, but the former owner's last transaction is still open. */
    private final Queue<CheckpointId> toRaise = new ArrayDeque<>();

    private final FormerWork former;

    private volatile boolean closed;
    private @Nullable Thread thread;

    @FunctionalInterface
    private interface Task {
        void on(Session session);
    }

    public LaneSession(DatabaseAccess database, Lease lease, LongSupplier nanos) {
        this.database = database;
        this.lease = lease;
        this.nanos = nanos;
        this.former = new FormerWork(nanos, this::waits);
    }

    /**
     * Joins, and blocks until it has.
     *
     * @return the number; 0 if it wants to be alone and is not; -1 if there is no such subscription any more
     */
    public int join(LaneOwner owner, boolean alone) {
        CompletableFuture<Integer> answer = new CompletableFuture<>();
        synchronized (this) {
            if (closed) {
                throw new IllegalStateException("This Baton is closed: open another one.");
            }
            if (thread == null) {
                Session first = open(); // a database that refuses us is the caller's to know, at once
                thread = new Thread(() -> run(first), "baton-session");
                thread.setDaemon(true);
                thread.start();
            }
        }
        tasks.add(session -> {
            try {
                int number = join(session, owner, alone);
                if (number > 0) {
                    numbers.put(owner, number);
                }
                answer.complete(number);
            } catch (RuntimeException | Error failure) {
                answer.completeExceptionally(failure);
                throw failure;
            }
        });
        return await(answer);
    }

    private int await(CompletableFuture<Integer> answer) {
        while (true) {
            try {
                return answer.get(200, TimeUnit.MILLISECONDS);
            } catch (TimeoutException notYet) {
                if (closed) {
                    throw new IllegalStateException("This Baton is closed: open another one.");
                }
            } catch (ExecutionException failed) {
                throw failed.getCause() instanceof RuntimeException asItIs
                        ? asItIs
                        : new IllegalStateException(failed.getCause());
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("Interrupted while joining a subscription.");
            }
        }
    }

    private int join(Session session, LaneOwner owner, boolean alone) {
        int number = session.query(
                "join a subscription",
                JOIN,
                row -> row.next() ? row.getInt(1) : 0,
                owner.subscription(),
                database.who(),
                alone);
        if (number > 0) {
            owner.joined(number);
        }
        return number;
    }

    /** Asks for lanes; the owner is told of each that it got. */
    public void take(LaneOwner owner, List<CheckpointId> checkpoints) {
        tasks.add(session -> {
            if (numbers.containsKey(owner)) {
                List<CheckpointId> free = new ArrayList<>(checkpoints);
                free.removeIf(held::containsKey);
                for (CheckpointId checkpoint : tryLanes(session, free)) {
                    held.put(checkpoint, owner);
                    toRaise.add(checkpoint);
                }
                raiseEpochs(session);
            }
            owner.takeFinished();
        });
    }

    private Set<CheckpointId> tryLanes(Session session, List<CheckpointId> checkpoints) {
        if (checkpoints.isEmpty()) {
            return Set.of();
        }
        Failpoint.BEFORE_LOCK.pass();
        Set<CheckpointId> taken =
                session.query("take lanes", TRY_LANES, LaneSession::checkpoints, CheckpointId.array(checkpoints));
        if (!taken.isEmpty()) {
            Failpoint.AFTER_LOCK.pass();
        }
        return taken;
    }

    private static Set<CheckpointId> checkpoints(ResultSet rows) throws SQLException {
        Set<CheckpointId> all = new HashSet<>();
        while (rows.next()) {
            all.add(new CheckpointId(rows.getInt(1)));
        }
        return all;
    }

    /**
     * One transaction for each lane: two sessions that take several lanes in one transaction could wait for each other. Before its owner
     * may begin to work for a lane, what its former owners left open is looked for.
     */
    private void raiseEpochs(Session session) {
        for (int waiting = toRaise.size(); waiting > 0; waiting--) {
            CheckpointId checkpoint = toRaise.remove();
            LaneOwner owner = held.get(checkpoint);
            if (owner == null) {
                continue; // given back meanwhile
            }
            Optional<Tenure> tenure = session.query(
                    "take a lane",
                    TAKE,
                    row -> row.next()
                            ? Optional.of(
                                    new Tenure(checkpoint, row.getLong(1), row.getLong(2), row.getString(3), session))
                            : Optional.empty(),
                    checkpoint.number(),
                    database.who(),
                    20);
            if (tenure.isPresent() && tenure.get().epoch() < 0) {
                free(session, owner, checkpoint); // deleted
                continue;
            }
            if (tenure.isPresent()) {
                Failpoint.AFTER_EPOCH.pass();
            }
            if (tenure.isPresent() || !former.knows(checkpoint)) {
                former.find(session, checkpoint);
            }
            if (tenure.isEmpty()) {
                toRaise.add(checkpoint);
            } else {
                owner.took(tenure.get());
            }
        }
    }

    private void waits(CheckpointId checkpoint, String forWhom) {
        LaneOwner owner = held.get(checkpoint);
        if (owner != null) {
            owner.waits(forWhom);
        }
    }

    /** Gives lanes back, unless they have been lost since, and perhaps taken again. Whoever takes one next gets a higher epoch. */
    public void release(LaneOwner owner, List<Tenure> tenures) {
        tasks.add(session -> tenures.stream()
                .filter(tenure -> tenure.session() == session)
                .forEach(tenure -> free(session, owner, tenure.checkpoint())));
    }

    private void free(Session session, LaneOwner owner, CheckpointId checkpoint) {
        if (held.remove(checkpoint, owner)) {
            former.forget(checkpoint);
            Failpoint.BEFORE_UNLOCK.pass();
            session.query("give a lane back", FREE_LANE, ResultSet::next, checkpoint.number());
            Failpoint.AFTER_UNLOCK.pass();
        }
    }

    /** Leaves in good order, with all its lanes, and blocks until it has; at most for the lease, after which the locks are gone anyway. */
    public void leave(LaneOwner owner) {
        synchronized (this) {
            if (thread == null) {
                return; // nobody ever joined
            }
        }
        CompletableFuture<Void> done = new CompletableFuture<>();
        tasks.add(session -> {
            try {
                Integer number = numbers.remove(owner);
                List<CheckpointId> own = held.keySet().stream()
                        .filter(checkpoint -> held.get(checkpoint) == owner)
                        .toList();
                own.forEach(checkpoint -> free(session, owner, checkpoint));
                if (number != null) {
                    session.query("leave a subscription", LEAVE, ResultSet::next, number);
                }
            } finally {
                numbers.remove(owner);
                done.complete(null);
            }
        });
        done.completeOnTimeout(null, lease.length().toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    private Session open() {
        Session session = Session.open(database, lease, nanos, "session");
        session.holdOn();
        return session;
    }

    private void run(Session first) {
        Backoff backoff = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(5));
        @Nullable Session next = first;
        while (!closed) {
            try (Session session = next == null ? open() : next) {
                next = null;
                rejoin(session);
                backoff.reset();
                serve(session);
            } catch (BatonException trouble) {
                lose(trouble.getMessage());
                pause(backoff.next());
            } catch (RuntimeException | Error bug) {
                log.error("The session's thread failed, and starts again", bug);
                lose("internal error: " + bug);
                pause(backoff.next());
            } finally {
                next = null;
            }
        }
    }

    private void rejoin(Session session) {
        for (LaneOwner owner : List.copyOf(numbers.keySet())) {
            int number = join(session, owner, owner.wantsToBeAlone());
            if (number > 0) {
                numbers.put(owner, number);
            } else {
                numbers.remove(owner);
                owner.ended(
                        number == 0
                                ? "another member came while the session was lost"
                                : "the subscription was deleted");
            }
        }
    }

    private void lose(@Nullable String why) {
        held.clear();
        toRaise.clear();
        former.forget();
        if (!numbers.isEmpty() && !closed) {
            log.warn("The session with the lanes' locks is lost, and opened again: {}", why);
        }
        numbers.keySet().forEach(owner -> owner.lost(String.valueOf(why)));
    }

    private void serve(Session session) {
        while (!closed) {
            Task task = next(session);
            if (task != null) {
                task.on(session);
            }
            if (!toRaise.isEmpty()) {
                raiseEpochs(session);
            }
            former.goOn(session);
            if (session.untilHeartbeat().isZero()) {
                session.query("keep the session", HEARTBEAT, ResultSet::next);
            } else if (task == null) {
                session.listen();
            }
        }
        Task last = tasks.poll();
        while (last != null) {
            last.on(session);
            last = tasks.poll();
        }
    }

    private @Nullable Task next(Session session) {
        Duration wait = session.untilHeartbeat();
        Duration atMost =
                !toRaise.isEmpty() ? Duration.ofMillis(1) : former.isEmpty() ? LISTEN_EVERY : FormerWork.AGAIN;
        long patience = Math.min(wait.toNanos(), atMost.toNanos());
        try {
            return tasks.poll(patience, TimeUnit.NANOSECONDS);
        } catch (InterruptedException closing) {
            return null;
        }
    }

    private void pause(Duration length) {
        try {
            // close() interrupts
            Thread.sleep(length.toMillis());
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            closed = true;
            running = thread;
        }
        if (running != null && running != Thread.currentThread()) {
            running.interrupt();
            try {
                running.join(lease.length().toMillis());
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
