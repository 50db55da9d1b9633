package org.pgbaton.log;

import java.time.Duration;
import java.util.List;

/**
 * All logs of a schema: making them, looking at them, and what somebody must ask for by name. Thread-safe.
 *
 * <pre>{@code
 * Logs logs = baton.logs();
 * logs.create("events");
 * logs.create("orders", LogOptions.defaults().lanes(64).retention(Duration.ofDays(30)).outbox());
 * }</pre>
 *
 * <p>Nothing here removes a row that a subscription has not passed or that a parked key waits for. Redactions and changes
 * of retention are recorded in the table {@code action}.
 */
public interface Logs {
    /**
     * A log to append to and to read.
     *
     * @throws LogException if there is no log of that name
     */
    Log named(String name);

    /**
     * Makes a log with 16 lanes whose rows are kept for ever. One that is there is left as it is.
     *
     * @return whether it was made now
     * @throws LogException as {@link #create(String, LogOptions)}
     */
    boolean create(String name);

    /**
     * Makes a log. One that is there with as many lanes is left as it is, whatever its retention and its limit.
     *
     * @return whether it was made now
     * @throws LogException if it is there with another number of lanes, or is an outbox and should not be, or the other way
     *     round, or the name is taken by something else
     */
    boolean create(String name, LogOptions options);

    /** The names of all logs, in alphabetical order. */
    List<String> names();

    /** Every log, by name. */
    List<LogStatus> list();

    /**
     * One log as the database sees it.
     *
     * @throws LogException if there is no log of that name
     */
    LogStatus show(String name);

    /**
     * From now on rows are kept at least so long. Rows are removed later, by {@link #retainOnce}.
     *
     * @throws LogException if there is no log of that name
     */
    void setRetention(String name, Duration least);

    /**
     * From now on rows are kept for ever.
     *
     * @throws LogException if there is no log of that name
     */
    void keepForever(String name);

    /**
     * From now on the role for applications that only append may not write to it. Captures use this: nobody else writes to
     * their logs.
     *
     * @throws LogException if there is no log of that name
     */
    void forWorkersOnly(String name);

    /**
     * From now on an outbox takes payloads of at most so many bytes; what is in it stays. Waits up to a minute for
     * transactions that wrote to it, without holding up others.
     *
     * @throws LogException if there is no log of that name, or it is not an outbox
     */
    void setPayloadLimit(String name, int bytes);

    /**
     * Removes the oldest rows, at most 10,000, in a transaction of its own: those that are older than the log's retention,
     * that every subscription has passed and that no parked key waits for. To be called until it returns 0.
     *
     * @return how many rows were removed; always 0 for a log whose rows are kept for ever
     * @throws LogException if there is no log of that name
     */
    int retainOnce(String name);

    /**
     * Blanks payload and headers of one message, for good. Its position, id, key, type and topic stay, so that order and
     * identity do. Copies that were sent, backups and the WAL still have them; the table's file until it has been
     * vacuumed.
     *
     * @param who who asked for it, for the record
     * @param reason why, for the record
     * @throws LogException if there is no such log or position
     */
    void redact(String name, long position, String who, String reason);
}
