package org.pgbaton.leadership;

import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.session.Database;

/**
 * One leadership as the whole database sees it: a row of the view {@code leader_status}.
 *
 * @param holder who leads, or null if nobody does
 * @param since since when; null if nobody does, or a program that is not Baton
 * @param standbys the application names of those who wait
 * @param takenOverAt when the present or last term began
 * @param vacantFor how long nobody led before that, if the one before left in good order
 * @param changes how often the leader changed
 */
public record LeaderStatus(
        String name,
        @Nullable String holder,
        long epoch,
        @Nullable Instant since,
        List<String> standbys,
        @Nullable String previousHolder,
        @Nullable Instant takenOverAt,
        @Nullable Duration vacantFor,
        long changes,
        long key) {

    static List<LeaderStatus> all(Database database) {
        return database.call("read who leads", connection -> {
            List<LeaderStatus> all = new ArrayList<>();
            try (PreparedStatement statement =
                            connection.prepareStatement(database.schema().in(LeadershipSql.STATUS));
                    ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    all.add(read(row));
                }
            }
            return all;
        });
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
