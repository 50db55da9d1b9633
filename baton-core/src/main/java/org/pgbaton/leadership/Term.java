package org.pgbaton.leadership;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

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
public interface Term extends AutoCloseable {
    /** The name of the leadership. */
    String leadership();

    /** The fencing token: grows at every change of leader. Hand it to everything outside that can refuse an older one. */
    long epoch();

    /** When this term began, by the database's clock. */
    Instant since();

    /** Where this process stands in this term. */
    LeadershipState state();

    /** Whether the next unit of work may be started: leading, trusted, and not asked to end. */
    boolean isLeading();

    /** How long ago the last round trip to the database began that succeeded. */
    Duration sinceHeartbeat();

    /** Completed with the reason when the term is over, on a thread of the common pool. */
    CompletableFuture<String> whenOver();

    /**
     * Puts this term into the caller's own transaction, on any connection to the same database, also through a pooler: the
     * transaction commits before the next leader begins, or it fails. Call it anywhere in the transaction. The transaction
     * may then be idle for at most the lease.
     *
     * <pre>{@code
     * connection.setAutoCommit(false);
     * connection.createStatement().execute("INSERT INTO report VALUES (current_date)");
     * term.guard(connection);
     * connection.commit();
     * }</pre>
     *
     * @throws LeadershipLostException if the term is over or suspended; roll back
     * @throws SQLException if the database refuses, or the connection is lost
     */
    void guard(Connection connection) throws SQLException;

    /**
     * Asks the database, in one short transaction, whether this term still leads: to be called right before something that the
     * guard cannot protect, such as starting a program. A process that was frozen finds out here that it was replaced.
     *
     * @throws LeadershipLostException if the term is over or suspended
     */
    void confirm();

    /**
     * Says that this run ended well. It is recorded when the term is closed, and {@link Leadership#atMostEvery} counts from its
     * start; a term that is lost, or closed without this word, does not count as a run. {@link Leadership#run} says it itself.
     */
    void done();

    /** Whether the database has recorded that this run ended well: known when the term is closed. */
    boolean isRecorded();

    /**
     * Asks the term to end so that another process can win, and returns at once. Without a running duty the lock is free at
     * once; otherwise as soon as the duty has returned.
     */
    void stepDown();

    /** Ends the term: waits up to a lease for the duty to return. See {@link #close(Duration)}. */
    @Override
    void close();

    /**
     * Ends the term and blocks until the lock is free. From now on {@link #isLeading} says no. A running duty gets the
     * given time to return; then its thread is interrupted; if it still does not return within a second, the term ends
     * without it, and the guard keeps its late writes out. Can be called twice, and from inside the duty.
     */
    void close(Duration drain);
}
