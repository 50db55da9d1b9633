package org.pgbaton.session;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The user's search_path, set aside for statements of ours in a transaction in which the application's code has a part, too: it is in
 * force while that code runs, and only then. For one transaction; its end puts everything back.
 */
public final class TheirPath {
    static final String OURS = "SET LOCAL search_path = pg_catalog, pg_temp";

    /** The application's part. */
    @FunctionalInterface
    public interface Part {
        void run() throws SQLException;
    }

    private final Connection connection;
    private final String path;

    private TheirPath(Connection connection, String path) {
        this.connection = connection;
        this.path = path;
    }

    /** From now on names without a schema are PostgreSQL's. */
    public static TheirPath setAside(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            String path;
            try (ResultSet row = statement.executeQuery("SELECT pg_catalog.current_setting('search_path')")) {
                row.next();
                path = row.getString(1);
            }
            statement.execute(OURS);
            return new TheirPath(connection, path);
        }
    }

    public void during(Part part) throws SQLException {
        try (PreparedStatement set =
                connection.prepareStatement("SELECT pg_catalog.set_config('search_path', ?, true)")) {
            set.setString(1, path);
            set.execute();
        }
        part.run();
        try (Statement statement = connection.createStatement()) {
            statement.execute(OURS);
        }
    }
}
