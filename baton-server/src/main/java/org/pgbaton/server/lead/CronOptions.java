package org.pgbaton.server.lead;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.schedule.CronException;
import org.pgbaton.schedule.Missed;
import org.pgbaton.schedule.ScheduleBuilder;
import org.pgbaton.schedule.Schedules;
import org.pgbaton.server.command.UsageException;
import picocli.CommandLine.Option;

/** The options of {@code baton lead} that make it a schedule. */
final class CronOptions {
    @Option(
            names = "--cron",
            paramLabel = "CRON",
            description =
                    "Stay, and run the command when it is due: minute, hour, day of the month, month, day of the week.")
    private @Nullable String cron;

    @Option(names = "--zone", paramLabel = "ZONE", description = "The time zone of --cron (default: UTC).")
    private @Nullable String zone;

    @Option(
            names = "--missed",
            paramLabel = "skip|once",
            description = "Due times at which nothing could be run: skip them (default), or run once for all of them.")
    private @Nullable String missed;

    boolean isGiven() {
        return cron != null;
    }

    /** Refuses what makes no sense, before anything is started. */
    void check(boolean withOptionsOfOneRun) {
        if (cron == null) {
            if (zone != null || missed != null) {
                throw new UsageException("--zone and --missed belong to --cron; give --cron as well.");
            }
            return;
        }
        if (withOptionsOfOneRun) {
            throw new UsageException("--cron stands by and runs again and again; leave out --wait, --timeout, "
                    + "--at-most-every, --at-least-for and --key.");
        }
        try {
            Schedules.requireCron(cron);
        } catch (CronException wrong) {
            throw new UsageException("--cron: " + wrong.getMessage());
        }
        zoneId();
        policy();
    }

    ScheduleBuilder schedule(Baton baton, String name, Duration lease) {
        return Schedules.of(baton)
                .schedule(name)
                .cron(String.valueOf(cron), zoneId())
                .missed(policy())
                .lease(lease);
    }

    private ZoneId zoneId() {
        try {
            return zone == null ? ZoneId.of("UTC") : ZoneId.of(zone);
        } catch (DateTimeException unknown) {
            throw new UsageException("--zone: there is no time zone '" + zone + "'; write for example Europe/Berlin.");
        }
    }

    private Missed policy() {
        if (missed == null) {
            return Missed.SKIP;
        }
        return switch (missed.toLowerCase(Locale.ROOT)) {
            case "skip" -> Missed.SKIP;
            case "once" -> Missed.ONCE;
            default -> throw new UsageException("--missed takes skip or once, not '" + missed + "'.");
        };
    }
}
