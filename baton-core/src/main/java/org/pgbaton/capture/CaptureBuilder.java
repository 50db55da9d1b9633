package org.pgbaton.capture;

import java.time.Duration;

/**
 * Describes which changes to capture, and the log to write them to. Nothing happens before {@link #start}. Get one from
 * {@code Baton.capture}. Not thread-safe.
 *
 * <pre>{@code
 * baton.capture("alerts").table("public.alert").operations(CapturedOperation.INSERT).start();
 * }</pre>
 */
public interface CaptureBuilder {
    /** Adds a table, with all its columns and rows. */
    CaptureBuilder table(String table);

    /** Adds a table. */
    CaptureBuilder table(CapturedTable table);

    /** Captures only these operations. Default: all. */
    CaptureBuilder operations(CapturedOperation first, CapturedOperation... more);

    /**
     * The columns that make the key, for tables that do not name their own. Rows of different tables with the same key belong to one key, and
     * stay in order. Default: each table's primary key.
     */
    CaptureBuilder key(String... columns);

    /** Captures messages of {@code pg_logical_emit_message(true, prefix, …)} too. With it, a capture needs no table. */
    CaptureBuilder messages(String prefix);

    /**
     * Also sends the rows that exist when the capture begins, once, among the changes. Each row comes before any later change of it, or is
     * replaced by that change. For a capture that has begun already see {@link Captures#snapshot}.
     */
    CaptureBuilder existingRows();

    /** Writes to this log, which is created if it does not exist. Default: a log with the capture's name. */
    CaptureBuilder into(String log);

    /** Uses a publication that somebody else maintains: it must cover the tables and operations. Default: Baton makes its own. */
    CaptureBuilder publication(String name);

    /** Names the slot. Slots of all databases of a server share one name space. Default: made from schema and capture. */
    CaptureBuilder slot(String name);

    /** How long a reader that froze, or lost its network, keeps others from the slot: at least 2 s; default 10 s. */
    CaptureBuilder lease(Duration length);

    /**
     * Checks what can be checked, starts to read, or to stand by, and returns when the slot exists: every change that is committed from then
     * on is captured. PostgreSQL makes a slot when all transactions have ended that are open at that time. This method waits for them, and logs
     * why.
     *
     * @throws CaptureException if this cannot be captured; the message says what to do
     */
    Capture start();

    /**
     * The same, but returns at once. {@link Capture#health} and {@link Captures#show} tell whether the capture has begun, and what prevents it.
     * If somebody has to correct something, the capture tries again until that is done.
     *
     * @throws CaptureException if it is known already that this cannot be captured
     */
    Capture startWithoutWaiting();

    /**
     * Finds mistakes without starting anything: the server's settings, the tables and their keys. Changes nothing.
     *
     * @throws CaptureException if it is known already that this cannot be captured; the message says what to do
     */
    void check();
}
