package org.pgbaton.capture;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How many of a table's existing rows were sent.
 *
 * @param table its full name, as in SQL
 * @param sent rows that are in the log; rows that changed meanwhile came as changes instead
 * @param estimated rows of the table, by its statistics at the start; 0 if there were none
 * @param begunAt null if it has not begun
 * @param doneAt null if it is not finished
 */
public record SnapshotStatus(
        String table,
        long sent,
        long estimated,
        @Nullable Instant begunAt,
        @Nullable Instant doneAt) {
    /** The time that is left, if it continues at this pace; empty if unknown. */
    public Optional<Duration> left(Instant now) {
        if (begunAt == null || doneAt != null || sent == 0 || estimated <= sent) {
            return Optional.empty();
        }
        double perRow = (double) Duration.between(begunAt, now).toMillis() / sent;
        return Optional.of(Duration.ofMillis((long) (perRow * (estimated - sent))));
    }
}
