package org.pgbaton.session;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.SchemaName;

/**
 * Runs prepared statements on the caller's connection, in the caller's transaction. {@code ${schema}} in a statement becomes Baton's schema.
 * Immutable.
 */
public record Sql(SchemaName schema) {
    /** Reads one row. */
    @FunctionalInterface
    public interface Row<T extends @Nullable Object> {
        T read(ResultSet row) throws SQLException;
    }

    /** Reads all rows that it wants. */
    @FunctionalInterface
    public interface Rows<T extends @Nullable Object> {
        T read(ResultSet rows) throws SQLException;
    }

    /** A parameter that is an array of PostgreSQL. */
    public record Elements(String type, List<@Nullable Object> values) {}

    public static Elements texts(Collection<String> values) {
        return new Elements("text", new ArrayList<>(values));
    }

    public static <T> Elements texts(Collection<T> values, Function<T, @Nullable String> element) {
        return elements("text", values, element);
    }

    public static Elements integers(Collection<Integer> values) {
        return new Elements("int4", new ArrayList<>(values));
    }

    public static <T> Elements integers(Collection<T> values, Function<T, Integer> element) {
        return elements("int4", values, element);
    }

    public static <T> Elements longs(Collection<T> values, Function<T, Long> element) {
        return elements("int8", values, element);
    }

    private static <T> Elements elements(
            String type, Collection<T> values, Function<T, ? extends @Nullable Object> element) {
        List<@Nullable Object> all = new ArrayList<>(values.size());
        values.forEach(value -> all.add(element.apply(value)));
        return new Elements(type, all);
    }

    /** Every row. */
    public <T extends @Nullable Object> List<T> all(
            Connection connection, String sql, Row<T> row, @Nullable Object... parameters) throws SQLException {
        return query(
                connection,
                sql,
                rows -> {
                    List<T> all = new ArrayList<>();
                    while (rows.next()) {
                        all.add(row.read(rows));
                    }
                    return all;
                },
                parameters);
    }

    public <T extends @Nullable Object> T query(
            Connection connection, String sql, Rows<T> reader, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(schema.in(sql))) {
            set(connection, select, parameters);
            try (ResultSet rows = select.executeQuery()) {
                return reader.read(rows);
            }
        }
    }

    /** The first row; null if there is none. */
    public <T> @Nullable T first(
            Connection connection, String sql, Row<? extends @Nullable T> row, @Nullable Object... parameters)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(schema.in(sql))) {
            set(connection, select, parameters);
            try (ResultSet rows = select.executeQuery()) {
                return rows.next() ? row.read(rows) : null;
            }
        }
    }

    /** The number in the first column of the first row. */
    public long number(Connection connection, String sql, @Nullable Object... parameters) throws SQLException {
        return all(connection, sql, row -> row.getLong(1), parameters).get(0);
    }

    public boolean isAny(Connection connection, String sql, @Nullable Object... parameters) throws SQLException {
        return first(connection, sql, row -> true, parameters) != null;
    }

    /** @return how many rows it changed */
    public int run(Connection connection, String sql, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(schema.in(sql))) {
            set(connection, statement, parameters);
            statement.execute();
            return Math.max(0, statement.getUpdateCount());
        }
    }

    private static void set(Connection connection, PreparedStatement statement, @Nullable Object... parameters)
            throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            Object parameter = parameters[i];
            if (parameter instanceof Elements array) {
                statement.setArray(i + 1, connection.createArrayOf(array.type, array.values.toArray()));
            } else if (parameter instanceof String || parameter == null) {
                statement.setString(i + 1, (String) parameter);
            } else {
                statement.setObject(i + 1, parameter);
            }
        }
    }

    public static Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    public static @Nullable Instant instantOrNull(ResultSet row, String column) throws SQLException {
        OffsetDateTime at = row.getObject(column, OffsetDateTime.class);
        return at == null ? null : at.toInstant();
    }

    /** The elements of an array of texts that is not NULL. */
    public static List<String> strings(ResultSet row, String column) throws SQLException {
        return List.of((String[]) row.getArray(column).getArray());
    }
}
