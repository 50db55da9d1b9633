package org.pgbaton.schedule;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;

/** Reads the view {@code schedule_status}. */
final class ScheduleStatusSql {
    private static final String STATUS = """
            SELECT name, cron, zone, missed, next_due, holder, run_due, run_started, run_ended, run_outcome, run_error, run_by
              FROM ${schema}.schedule_status ORDER BY name""";

    private ScheduleStatusSql() {}

    static List<ScheduleStatus> read(Baton baton) {
        return baton.transact("read the schedules", connection -> {
            List<ScheduleStatus> all = new ArrayList<>();
            try (PreparedStatement statement =
                            connection.prepareStatement(baton.schema().in(STATUS));
                    ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    all.add(read(rows));
                }
            }
            return List.copyOf(all);
        });
    }

    private static ScheduleStatus read(ResultSet row) throws SQLException {
        return new ScheduleStatus(
                row.getString("name"),
                row.getString("cron"),
                row.getString("zone"),
                Missed.valueOf(row.getString("missed").toUpperCase(Locale.ROOT)),
                Times.instant(row, "next_due"),
                row.getString("holder"),
                lastRun(row));
    }

    private static @Nullable ScheduledRun lastRun(ResultSet row) throws SQLException {
        if (row.getString("run_outcome") == null) {
            return null;
        }
        return new ScheduledRun(
                Times.instant(row, "run_due"),
                Times.instantOrNull(row, "run_started"),
                Times.instantOrNull(row, "run_ended"),
                Outcome.ofStored(row.getString("run_outcome")),
                row.getString("run_by"),
                row.getString("run_error"));
    }
}
