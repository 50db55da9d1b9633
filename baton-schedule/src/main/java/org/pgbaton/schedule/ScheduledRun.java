package org.pgbaton.schedule;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A run of a schedule. All times are the database's.
 *
 * @param due the time that was claimed for it
 * @param started null if it was missed
 * @param ended null if it goes on, was lost or missed
 * @param by the process that ran it, or that noticed that it was missed
 * @param error what a run that failed has thrown
 */
public record ScheduledRun(
        Instant due,
        @Nullable Instant started,
        @Nullable Instant ended,
        Outcome outcome,
        String by,
        @Nullable String error) {}
