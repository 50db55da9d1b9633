package org.pgbaton.chaos.world;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.pgbaton.testkit.TestDatabase;

/** Reads the rows of a statement. */
@FunctionalInterface
public interface Rows {
    void read(ResultSet row) throws SQLException;

    /** Calls the reader for each row, on a connection of its own. */
    static void each(TestDatabase database, String sql, Rows reader) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                reader.read(row);
            }
        }
    }
}
