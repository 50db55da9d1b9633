package org.pgbaton.schedule;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One schedule as the whole database sees it: a row of the view {@code schedule_status}.
 *
 * @param zone the name of the time zone in which the expression is meant
 * @param nextDue the first due time that nobody has claimed
 * @param holder the process that will run it, or null if there is none
 * @param lastRun null if there was none yet
 */
public record ScheduleStatus(
        String name,
        String cron,
        String zone,
        Missed missed,
        Instant nextDue,
        @Nullable String holder,
        @Nullable ScheduledRun lastRun) {}
