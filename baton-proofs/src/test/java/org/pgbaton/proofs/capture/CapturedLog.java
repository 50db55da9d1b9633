package org.pgbaton.proofs.capture;

import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.pgbaton.testkit.TestDatabase;

/** The rows that a capture has written, read with plain SQL. */
record CapturedLog(TestDatabase database, String log) {
    /** The key, the operation and a column of the row, old if there is no new one, by position. */
    List<String> rows(String column) throws SQLException {
        return column(
                "SELECT concat_ws(' ', payload ->> 'operation', key, coalesce(payload -> 'after', payload -> 'before') ->> '"
                        + column + "') FROM baton." + log + " ORDER BY position");
    }

    List<String> payloads() throws SQLException {
        return column("SELECT payload FROM baton." + log + " ORDER BY position");
    }

    List<String> column(String sql) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                values.add(String.valueOf(row.getString(1)));
            }
        }
        return values;
    }

    long count() throws SQLException {
        return Long.parseLong(database.one("SELECT count(*) FROM baton." + log));
    }

    CapturedLog awaitCount(long wanted) {
        return awaitCount(wanted, Duration.ofSeconds(30));
    }

    CapturedLog awaitCount(long wanted, Duration atMost) {
        await().atMost(atMost).pollInterval(Duration.ofMillis(20)).until(() -> count() >= wanted);
        return this;
    }

    /** Waits until the slot exists, so that nothing is written too early. */
    static void awaitRunning(TestDatabase database, String capture) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> "running"
                        .equals(database.one("SELECT state FROM baton.capture_status WHERE name = ?", capture)));
    }
}
