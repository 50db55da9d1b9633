package org.pgbaton.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A database of its own. Closing drops it. */
public final class Place implements AutoCloseable {
    private final Arena arena;
    private final String name;

    /** A database that exists already. */
    public Place(Arena arena, String name) {
        this.arena = arena;
        this.name = name;
    }

    public String name() {
        return name;
    }

    public String url() {
        return arena.url(name);
    }

    public void execute(String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url());
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    public long number(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    @Override
    public void close() throws SQLException {
        arena.drop(name);
    }
}
