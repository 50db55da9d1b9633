package org.pgbaton.leadership;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.session.Lease;
import org.pgbaton.session.Session;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One spell of leading, with its epoch.
 *
 * <p>Guarantee: while {@link #isLeading} answers true, nobody else leads. That answer can be outdated the moment it is
 * given, in a process that freezes right after it; what no freeze can break is {@link #guard}: a transaction that passed it
 * commits before the next term begins, or not at all.
 *
 * <p>A term ends by {@link #close} or {@link #stepDown}, when its session is lost, or by itself when the database has not
 * answered for almost a lease. Then the threads that work for it are interrupted. It never comes back; the next term has a
 * higher epoch.
 *
 * <p>Thread-safe.
 */
public final class Term implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Term.class);

    /** How long an interrupted duty may take to return before the term ends without it, behind the fence. */
    private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(1);

    private final Leaderships all;
    private final LeadershipKey key;
    private final long epoch;
    private final Instant since;
    private final Lease lease;
    private final Session session;

    private final CompletableFuture<Void> releaseRequested = new CompletableFuture<>();
    private final CompletableFuture<String> over = new CompletableFuture<>();
    private final Set<Thread> workers = new HashSet<>();
    private final Set<Thread> interrupted = new HashSet<>();
    private State told = State.LEADING;
    private volatile boolean ending;

    Term(Leaderships all, LeadershipKey key, long epoch, Instant since, Lease lease, Session session) {
        this.all = all;
        this.key = key;
        this.epoch = epoch;
        this.since = since;
        this.lease = lease;
        this.session = session;
    }

    public String leadership() {
        return key.name();
    }

    /** The fencing token: grows at every change of leader. Hand it to everything outside that can refuse an older one. */
    public long epoch() {
        return epoch;
    }

    /** When this term began, by the database's clock. */
    public Instant since() {
        return since;
    }

    public State state() {
        if (over.isDone()) {
            return State.LOST;
        }
        return session.isTrusted() ? State.LEADING : State.SUSPENDED;
    }

    /** Whether the next unit of work may be started: leading, trusted, and not asked to end. */
    public boolean isLeading() {
        return !ending && state() == State.LEADING;
    }

    /** How long ago the last round trip to the database began that succeeded. */
    public Duration sinceHeartbeat() {
        return session.sinceRoundTrip();
    }

    /** Completed with the reason when the term is over. */
    public CompletableFuture<String> whenOver() {
        return over.copy();
    }

    /**
     * Puts this term into the caller's own transaction, on any connection to the same database, also through a pooler: the
     * transaction commits before the next leader begins, or it fails. Call it anywhere in the transaction. The transaction
     * may then be idle for at most the lease.
     *
     * @throws LeadershipLostException if the term is over or suspended; roll back
     */
    public void guard(Connection connection) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "The guard protects a transaction, and this connection is in autocommit mode: "
                            + "call setAutoCommit(false) first, or use your framework's transaction.");
        }
        State now = state();
        if (now != State.LEADING) {
            throw new LeadershipLostException(
                    key.name(),
                    epoch,
                    now == State.LOST
                            ? "the term is over (" + over.join() + ")."
                            : "the database has not answered this process for "
                                    + sinceHeartbeat().toMillis() + " ms.",
                    null);
        }
        try (PreparedStatement guard =
                connection.prepareStatement(all.database().schema().in(LeadershipSql.GUARD))) {
            guard.setString(1, key.name());
            guard.setLong(2, epoch);
            guard.setDouble(3, lease.length().toMillis() / 1000.0);
            guard.execute();
        } catch (SQLException refused) {
            Fault fault = Fault.of(refused);
            if (fault == Fault.FENCED || fault == Fault.CONFLICT) {
                throw new LeadershipLostException(
                        key.name(),
                        epoch,
                        DatabaseException.of("guard", refused).getMessage(),
                        refused);
            }
            throw refused;
        }
    }

    /**
     * Asks the term to end so that another process can win, and returns at once. Without a running duty the lock is free at
     * once; otherwise as soon as the duty has returned.
     */
    public void stepDown() {
        synchronized (this) {
            ending = true;
            if (!workers.isEmpty()) {
                return;
            }
        }
        releaseRequested.complete(null);
    }

    /** Ends the term: waits up to a lease for the duty to return. See {@link #close(Duration)}. */
    @Override
    public void close() {
        close(lease.length());
    }

    /**
     * Ends the term and blocks until the lock is free. From now on {@link #isLeading} says no. A running duty gets the
     * given time to return; then its thread is interrupted; if it still does not return within a second, the term ends
     * without it, and the guard keeps its late writes out. Can be called twice.
     */
    public void close(Duration drain) {
        ending = true;
        if (!awaitWorkers(drain)) {
            interruptWorkers();
            if (!awaitWorkers(AFTER_INTERRUPT)) {
                abandonWorkers();
            }
        }
        releaseRequested.complete(null);
        over.join();
    }

    /** Performs the duty on the caller's thread, which is interrupted when the term is lost. */
    void perform(Duty duty) throws Exception {
        Thread me = Thread.currentThread();
        synchronized (this) {
            if (over.isDone()) {
                throw new LeadershipLostException(key.name(), epoch, over.join(), null);
            }
            workers.add(me);
        }
        try {
            duty.perform(this);
        } catch (InterruptedException ended) {
            if (over.isDone() && wasInterrupted(me)) {
                throw new LeadershipLostException(key.name(), epoch, over.join(), ended);
            }
            throw ended;
        } finally {
            leave(me);
        }
    }

    private synchronized boolean wasInterrupted(Thread thread) {
        return interrupted.contains(thread);
    }

    @SuppressWarnings("ThreadInterruptedCheck") // clears the flag that we set ourselves
    private void leave(Thread me) {
        boolean last;
        synchronized (this) {
            workers.remove(me);
            if (interrupted.remove(me)) {
                Thread.interrupted();
            }
            last = workers.isEmpty();
            notifyAll();
        }
        if (last && ending) {
            releaseRequested.complete(null);
        }
    }

    private synchronized boolean awaitWorkers(Duration atMost) {
        long end = System.nanoTime() + atMost.toNanos();
        try {
            while (othersAtWork()) {
                long left = end - System.nanoTime();
                if (left <= 0 || over.isDone()) {
                    return !othersAtWork();
                }
                wait(Math.max(1, left / 1_000_000));
            }
            return true;
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private boolean othersAtWork() {
        return workers.stream().anyMatch(worker -> worker != Thread.currentThread());
    }

    private synchronized void interruptWorkers() {
        for (Thread worker : workers) {
            if (worker != Thread.currentThread()) {
                interrupted.add(worker);
                worker.interrupt();
            }
        }
    }

    private synchronized void abandonWorkers() {
        for (Thread worker : workers) {
            if (worker != Thread.currentThread()) {
                Exception where = new Exception("where " + worker.getName() + " is");
                where.setStackTrace(worker.getStackTrace());
                log.warn(
                        "Leadership '{}': a duty did not return although it was interrupted; epoch {} ends without it, and the "
                                + "guard keeps its late writes out",
                        key.name(),
                        epoch,
                        where);
            }
        }
    }

    /** For the keeper: waits for the wish to end the term. */
    CompletableFuture<Void> releaseRequested() {
        return releaseRequested;
    }

    boolean isOver() {
        return over.isDone();
    }

    boolean isEnding() {
        return ending;
    }

    /** Tells the listeners when trust ended or came back. */
    synchronized void tellTrust() {
        State now = state();
        if (now == told || now == State.LOST) {
            return;
        }
        told = now;
        String reason = now == State.SUSPENDED
                ? "no answer from the database for " + sinceHeartbeat().toMillis() + " ms"
                : "the database answers again";
        log.warn("Leadership '{}': {} in epoch {}, {}", key.name(), now, epoch, reason);
        all.tell(new Change(key.name(), now, epoch, reason, null));
    }

    /** The term is over. The first reason counts. */
    void end(String reason, @Nullable Throwable cause) {
        synchronized (this) {
            if (!over.complete(reason)) {
                return;
            }
            told = State.LOST;
            interruptWorkers();
            notifyAll();
        }
        if (releaseRequested.isDone()) {
            log.info(
                    "Leadership '{}': released epoch {}, {}",
                    key.name(),
                    epoch,
                    all.database().who());
        } else {
            log.warn(
                    "Leadership '{}': lost epoch {}, {}: {}",
                    key.name(),
                    epoch,
                    all.database().who(),
                    reason);
            log.debug("Leadership '{}': the cause", key.name(), cause);
        }
        all.tell(new Change(key.name(), State.LOST, epoch, reason, null));
    }

    @Override
    public String toString() {
        return "Term[" + key.name() + ", epoch " + epoch + ", " + state() + "]";
    }
}
