package org.pgbaton.capture;

/**
 * A capture in this process: it reads, or stands by.
 *
 * <p>Guarantee: every change of the captured tables that is committed after the slot was made is written to the log once. Transactions are
 * in the order of their commits, changes within a transaction in the order of the statements. One process reads. When it dies, another one
 * takes over in milliseconds; when it freezes, within the lease.
 *
 * <p>A process that stands by needs one ordinary connection. Only the process that reads uses a WAL sender. Thread-safe.
 */
public interface Capture extends AutoCloseable {
    /** The name that it was given. */
    String name();

    /** Whether this process is the one that reads. */
    boolean isReading();

    /** How it is doing. Does not ask the database. */
    CaptureHealth health();

    /** Stops reading, or standing by, and blocks until another process can take over. The slot stays, and the server keeps the WAL for it. */
    @Override
    void close();
}
