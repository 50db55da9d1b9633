package org.pgbaton.dashboard.look;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A schedule and its last run, as the view {@code schedule_status} shows them. */
public record Schedule(
        String name,
        String cron,
        String zone,
        String missed,
        Instant nextDue,
        @Nullable String holder,
        @Nullable Run lastRun) {

    /** A due time, and what became of it. */
    public record Run(
            Instant due,
            @Nullable Instant started,
            @Nullable Instant ended,
            String outcome,
            String by,
            @Nullable String error) {}
}
