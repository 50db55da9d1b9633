package org.pgbaton.log;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A log as the database sees it.
 *
 * @param retention null: rows are kept for ever
 * @param payloadLimit of an outbox, how many bytes a payload may have; null: not an outbox
 * @param first the row with the lowest position; null if there is none
 * @param last the row with the highest position; null if there is none
 * @param retainedAbove retention has removed the rows up to this position
 * @param writers who has written and not yet ended: what subscriptions of those lanes wait for, the oldest first
 */
public record LogStatus(
        String name,
        int lanes,
        @Nullable Duration retention,
        @Nullable Integer payloadLimit,
        Instant createdAt,
        Size size,
        @Nullable RowPlace first,
        @Nullable RowPlace last,
        long retainedAbove,
        List<Writer> writers) {

    /**
     * How large a log is.
     *
     * @param rows an estimate, as PostgreSQL's statistics have it
     * @param bytes table, indexes and all
     */
    public record Size(long rows, long bytes) {}

    /** Where a row is, and when it was recorded. */
    public record RowPlace(long position, Instant recordedAt) {}

    /**
     * An open transaction that wrote to a log.
     *
     * @param who the application's name; null if it has none
     * @param process the server process; null for a prepared transaction
     * @param age since the transaction began; null if unknown
     */
    public record Writer(
            @Nullable String who,
            @Nullable String user,
            @Nullable Integer process,
            @Nullable Duration age,
            List<Integer> lanes) {}
}
