package org.pgbaton.subscription;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.session.Database;
import org.pgbaton.session.TheirPath;

/**
 * How operators read and change subscriptions. A change is one transaction: the subscription is locked, the change made and recorded with
 * who and why, and the doorbell rung. Thread-safe.
 */
final class Operator {
    final Database database;

    Operator(Database database) {
        this.database = database;
    }

    /** A subscription, as it was found. */
    record Found(int id, String log, String state) {}

    @FunctionalInterface
    interface Change {
        void on(Connection connection, Found found) throws SQLException;
    }

    /** What is changed, with a part of the application's. */
    @FunctionalInterface
    interface ChangeWithThem {
        void on(Connection connection, Found found, TheirPath theirs) throws SQLException;
    }

    /** One row to one value. */
    @FunctionalInterface
    interface Row<T extends @Nullable Object> {
        T read(ResultSet row) throws SQLException;
    }

    /** @param target null for the live one */
    void change(
            String name, @Nullable String target, String what, String reason, @Nullable String detail, Change change) {
        database.call(
                what + " subscription '" + name + "'",
                connection -> change(connection, name, target, what, reason, detail, change));
    }

    /** The same for a change in which the application's code has a part, for which its search_path is in force. */
    void changeWithThem(String name, String what, String reason, @Nullable String detail, ChangeWithThem change) {
        database.callWithThem(what + " subscription '" + name + "'", connection -> {
            TheirPath theirs = TheirPath.setAside(connection);
            return change(
                    connection, name, null, what, reason, detail, (same, found) -> change.on(same, found, theirs));
        });
    }

    private boolean change(
            Connection connection,
            String name,
            @Nullable String target,
            String what,
            String reason,
            @Nullable String detail,
            Change change)
            throws SQLException {
        Found found = find(connection, OperatorSql.FIND_TO_CHANGE, name, target);
        change.on(connection, found);
        run(connection, OperatorSql.RECORD, database.who(), what, name, reason, recorded(detail, target));
        run(connection, OperatorSql.RING, found.log);
        return true;
    }

    private static @Nullable String recorded(@Nullable String detail, @Nullable String target) {
        if (target == null || target.isEmpty()) {
            return detail;
        }
        return (detail == null ? "" : detail + ", ") + "target '" + target + "'";
    }

    /** @param target null for the live one */
    Found find(Connection connection, String name, @Nullable String target) throws SQLException {
        return find(connection, OperatorSql.FIND, name, target);
    }

    private Found find(Connection connection, String sql, String name, @Nullable String target) throws SQLException {
        List<Found> found = all(
                connection,
                sql,
                row -> new Found(row.getInt(1), row.getString(2), row.getString(3)),
                name,
                target,
                target);
        if (found.isEmpty()) {
            throw new SubscriptionException("There is no subscription '" + name + "'"
                    + (target == null ? "" : " with target '" + target + "'") + " in schema '"
                    + database.schema()
                    + "': 'baton subscriptions list' shows them all.");
        }
        return found.get(0);
    }

    /** @return how far the furthest of them is */
    long lockCheckpoints(Connection connection, int subscription) throws SQLException {
        return all(connection, OperatorSql.LOCK_CHECKPOINTS, row -> row.getLong(3), subscription).stream()
                .mapToLong(Long::longValue)
                .max()
                .orElse(0);
    }

    /** The first column of the one row. */
    long number(Connection connection, String sql, @Nullable Object... parameters) throws SQLException {
        return all(connection, sql, row -> row.getLong(1), parameters).get(0);
    }

    /** Every row. */
    <T extends @Nullable Object> List<T> all(
            Connection connection, String sql, Row<T> row, @Nullable Object... parameters) throws SQLException {
        List<T> all = new ArrayList<>();
        try (PreparedStatement select =
                connection.prepareStatement(database.schema().in(sql))) {
            set(select, parameters);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    all.add(row.read(rows));
                }
            }
        }
        return all;
    }

    /** @return how many rows it changed */
    int run(Connection connection, String sql, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(database.schema().in(sql))) {
            set(statement, parameters);
            statement.execute();
            return Math.max(0, statement.getUpdateCount());
        }
    }

    private static void set(PreparedStatement statement, @Nullable Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            if (parameters[i] instanceof String || parameters[i] == null) {
                statement.setString(i + 1, (String) parameters[i]);
            } else {
                statement.setObject(i + 1, parameters[i]);
            }
        }
    }

    static Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }
}
