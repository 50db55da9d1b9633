package org.pgbaton.leadership;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.database.LineLogger;
import org.pgbaton.session.Lease;
import org.pgbaton.session.Session;
import org.slf4j.Logger;

/**
 * One spell of leading, with its epoch.
 *
 * <p>Guarantee: a transaction that passed {@link #guard} commits before the next term begins, or not at all. While
 * {@link #isLeading} answers true nobody else leads, as far as this process can know: the answer can be outdated the moment it
 * is given, in a process that freezes right after it, and for a twentieth of a second after the server ended the session.
 *
 * <p>A term ends by {@link #close} or {@link #stepDown}, when its session is lost, or by itself when the database has not
 * answered for almost a lease. Then the threads that work for it are interrupted. It never comes back; the next term has a
 * higher epoch.
 *
 * <p>Thread-safe.
 */
public final class Term implements AutoCloseable {
    private static final Logger log = LineLogger.of(Term.class);

    /** How long an interrupted duty may take to return before the term ends without it, behind the fence. */
    private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(1);

    private final Leaderships all;
    private final LeadershipKey key;
    private final long epoch;
    private final Instant since;
    private final Lease lease;
    private final Session session;

    /** Private, so that no lock of the caller's can keep us from ending. */
    private final Object lock = new Object();

    private final Workers workers = new Workers();
    private final CompletableFuture<Void> releaseRequested = new CompletableFuture<>();
    private final CompletableFuture<String> over = new CompletableFuture<>();
    private State told = State.LEADING;
    private volatile boolean ending;
    private volatile boolean leaving;
    private volatile boolean done;
    private volatile boolean recorded;
    private volatile @Nullable String reason;
    /** Over, and nobody had wished so. */
    private volatile boolean lost;

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
        if (leaving || isOver()) {
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

    /** Completed with the reason when the term is over, on a thread of the common pool. */
    public CompletableFuture<String> whenOver() {
        return over.thenApplyAsync(why -> why);
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
                            ? "the term is over (" + why() + ")."
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
     * Asks the database, in one short transaction, whether this term still leads: to be called right before something that the
     * guard cannot protect, such as starting a program. A process that was frozen finds out here that it was replaced.
     *
     * @throws LeadershipLostException if the term is over or suspended
     */
    public void confirm() {
        all.database().call("confirm that the term still leads", connection -> {
            guard(connection);
            return true;
        });
    }

    /**
     * Says that this run ended well. It is recorded when the term is closed, and {@link Leadership#atMostEvery} counts from its
     * start; a term that is lost, or closed without this word, does not count as a run. {@link Leadership#run} says it itself.
     */
    public void done() {
        done = true;
    }

    /** Whether the database has recorded that this run ended well: known when the term is closed. */
    public boolean isRecorded() {
        return recorded;
    }

    boolean isDone() {
        return done;
    }

    /** For the keeper. */
    void recorded() {
        recorded = true;
    }

    /**
     * Asks the term to end so that another process can win, and returns at once. Without a running duty the lock is free at
     * once; otherwise as soon as the duty has returned.
     */
    public void stepDown() {
        beginToEnd();
        if (workers.isEmpty()) {
            releaseRequested.complete(null);
        }
    }

    /** Ends the term: waits up to a lease for the duty to return. See {@link #close(Duration)}. */
    @Override
    public void close() {
        close(lease.length());
    }

    /**
     * Ends the term and blocks until the lock is free. From now on {@link #isLeading} says no. A running duty gets the
     * given time to return; then its thread is interrupted; if it still does not return within a second, the term ends
     * without it, and the guard keeps its late writes out. Can be called twice, and from inside the duty.
     */
    public void close(Duration drain) {
        beginToEnd();
        if (!isOver() && !workers.awaitOthers(drain)) {
            workers.interruptOthers();
            if (!workers.awaitOthers(AFTER_INTERRUPT)) {
                workers.others().forEach(this::abandon);
            }
        }
        releaseRequested.complete(null);
        over.join();
    }

    /** Under the lock, so that no duty starts between the look and the word. */
    private void beginToEnd() {
        synchronized (lock) {
            ending = true;
        }
    }

    private void abandon(Thread worker) {
        Exception where = new Exception("where " + worker.getName() + " is");
        where.setStackTrace(worker.getStackTrace());
        log.warn(
                "Leadership '{}': a duty did not return although it was interrupted; epoch {} ends without it, and the guard "
                        + "keeps its late writes out",
                key.name(),
                epoch,
                where);
    }

    /** Performs the duty on the caller's thread, which is interrupted when the term is lost. */
    void perform(Duty duty) throws Exception {
        synchronized (lock) {
            if (ending || isOver()) {
                throw new LeadershipLostException(key.name(), epoch, why(), null);
            }
            workers.enter();
        }
        try {
            duty.perform(this);
        } catch (InterruptedException ended) {
            if (isOver() && workers.wasInterrupted()) {
                throw new LeadershipLostException(key.name(), epoch, why(), ended);
            }
            throw ended;
        } finally {
            workers.leave();
            if (ending && workers.isEmpty()) {
                releaseRequested.complete(null);
            }
        }
    }

    private String why() {
        String ended = reason;
        return ended == null ? "it is being released" : ended;
    }

    /** For the keeper: the wish to end the term. */
    CompletableFuture<Void> releaseRequested() {
        return releaseRequested;
    }

    boolean isOver() {
        return reason != null;
    }

    /** For health: null if it goes on or was released. */
    @Nullable
    String lostBecause() {
        return lost ? reason : null;
    }

    Duration slice() {
        return lease.slice();
    }

    boolean isEnding() {
        return ending;
    }

    /** For the keeper: the session is about to close. */
    void leave() {
        leaving = true;
    }

    /** Waits for the end without a detour over another thread. */
    void awaitEnd() throws InterruptedException {
        try {
            over.get();
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Tells the listeners when trust ended or came back. */
    void tellTrust() {
        synchronized (lock) {
            State now = state();
            if (now == told || now == State.LOST) {
                return;
            }
            told = now;
            String because = now == State.SUSPENDED
                    ? "no answer from the database for " + sinceHeartbeat().toMillis() + " ms"
                    : "the database answers again";
            log.warn("Leadership '{}': {} in epoch {}, {}", key.name(), now, epoch, because);
            all.tell(new Change(key.name(), now, epoch, because, null));
        }
    }

    /** The term is over. The first reason counts. The listeners are told before anybody can go on to the next term. */
    void end(String because, @Nullable Throwable cause) {
        synchronized (lock) {
            if (isOver()) {
                return;
            }
            lost = !releaseRequested.isDone();
            reason = because;
            told = State.LOST;
            if (!releaseRequested.isDone()) {
                workers.interruptOthers();
            }
            all.tell(new Change(key.name(), State.LOST, epoch, because, null));
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
                    because);
            log.debug("Leadership '{}': the cause", key.name(), cause);
        }
        over.complete(because);
    }

    @Override
    public String toString() {
        return "Term[" + key.name() + ", epoch " + epoch + ", " + state() + "]";
    }
}
