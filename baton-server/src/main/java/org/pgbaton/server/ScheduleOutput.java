package org.pgbaton.server;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.pgbaton.schedule.ScheduleStatus;
import org.pgbaton.schedule.ScheduledRun;
import org.pgbaton.server.command.Durations;
import org.pgbaton.server.command.Output;

/** Schedules in the output of {@code baton status}. */
final class ScheduleOutput {
    static final List<String> HEAD =
            List.of("SCHEDULE", "CRON", "ZONE", "MISSED", "NEXT DUE", "LAST DUE", "OUTCOME", "BY");
    private static final int LONGEST_ERROR = 40;

    private ScheduleOutput() {}

    static List<String> row(ScheduleStatus status) {
        ScheduledRun run = status.lastRun();
        return List.of(
                status.name(),
                status.cron(),
                status.zone(),
                stored(status.missed()),
                status.nextDue().toString(),
                run == null ? "-" : run.due().toString(),
                run == null ? "-" : outcome(run),
                run == null ? "-" : run.by());
    }

    private static String outcome(ScheduledRun run) {
        String took = run.started() == null || run.ended() == null
                ? ""
                : " after " + Durations.shown(Duration.between(run.started(), run.ended()));
        String why = run.error() == null ? "" : ": " + Output.shortened(run.error(), LONGEST_ERROR);
        return stored(run.outcome()) + took + why;
    }

    private static String stored(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
