package org.pgbaton.capture;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How far the sending of a table's rows is.
 *
 * @param table its full name, as in SQL
 * @param sent rows that are in the log; those that changed meanwhile came as changes instead
 * @param estimated rows of the table, as far as statistics knew at the start; 0 if they knew nothing
 * @param begunAt null: not yet
 * @param doneAt null: not yet
 */
public record SnapshotStatus(
        String table,
        long sent,
        long estimated,
        @Nullable Instant begunAt,
        @Nullable Instant doneAt) {
    /** How long it will take yet, if it goes on like this; empty if nobody can know. */
    public Optional<Duration> left(Instant now) {
        if (begunAt == null || doneAt != null || sent == 0 || estimated <= sent) {
            return Optional.empty();
        }
        double perRow = (double) Duration.between(begunAt, now).toMillis() / sent;
        return Optional.of(Duration.ofMillis((long) (perRow * (estimated - sent))));
    }
}
