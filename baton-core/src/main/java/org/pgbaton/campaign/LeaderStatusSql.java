package org.pgbaton.campaign;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.leadership.LeaderStatus;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Sql;

/** Reads the view {@code leader_status}. */
final class LeaderStatusSql {
    private LeaderStatusSql() {}

    static List<LeaderStatus> read(DatabaseAccess database) {
        return database.call(
                "read who leads",
                connection -> new Sql(database.schema()).all(connection, LeadershipSql.STATUS, LeaderStatusSql::read));
    }

    private static LeaderStatus read(ResultSet row) throws SQLException {
        long vacantMicros = row.getLong("vacant_micros");
        boolean unknown = row.wasNull();
        return new LeaderStatus(
                row.getString("name"),
                row.getString("holder"),
                row.getLong("epoch"),
                instant(row, "since"),
                strings(row.getArray("standby_names")),
                row.getString("previous_holder"),
                instant(row, "taken_over_at"),
                unknown ? null : Duration.ofNanos(vacantMicros * 1000),
                row.getLong("changes"),
                row.getLong("key"));
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    private static List<String> strings(@Nullable Array array) throws SQLException {
        return array == null ? List.of() : List.of((String[]) array.getArray());
    }
}
