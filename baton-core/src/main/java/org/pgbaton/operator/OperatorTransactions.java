package org.pgbaton.operator;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Sql;
import org.pgbaton.session.TheirPath;
import org.pgbaton.subscription.SubscriptionException;
import org.pgbaton.subscription.SubscriptionStatus;

/**
 * How operators read and change subscriptions. A change is one transaction: the subscription is locked, the change made and recorded with
 * who and why, and the doorbell rung. Thread-safe.
 */
final class OperatorTransactions {
    private final DatabaseAccess database;
    private final Sql sql;

    OperatorTransactions(DatabaseAccess database) {
        this.database = database;
        this.sql = new Sql(database.schema());
    }

    /** A subscription, as it was found. */
    record Found(int id, String log, SubscriptionStatus.State state) {}

    @FunctionalInterface
    interface Change {
        void on(Connection connection, Found found) throws SQLException;
    }

    /** A change in which the application's code takes part. */
    @FunctionalInterface
    interface ChangeWithThem {
        void on(Connection connection, Found found, TheirPath theirs) throws SQLException;
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
        record(connection, what, name, reason, recorded(detail, target));
        sql.run(connection, OperatorSql.RING, found.log);
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

    private Found find(Connection connection, String select, String name, @Nullable String target) throws SQLException {
        Found found = sql.first(
                connection,
                select,
                row -> new Found(row.getInt(1), row.getString(2), SubscriptionStatus.State.of(row.getString(3))),
                name,
                target,
                target);
        if (found == null) {
            throw new SubscriptionException("There is no subscription '" + name + "'"
                    + (target == null ? "" : " with target '" + target + "'") + " in schema '"
                    + database.schema()
                    + "': 'baton subscriptions list' shows them all.");
        }
        return found;
    }

    /** @return how far the furthest of them is */
    long lockCheckpoints(Connection connection, int subscription) throws SQLException {
        return sql.all(connection, OperatorSql.LOCK_CHECKPOINTS, row -> row.getLong(3), subscription).stream()
                .mapToLong(Long::longValue)
                .max()
                .orElse(0);
    }

    DatabaseAccess database() {
        return database;
    }

    Sql sql() {
        return sql;
    }

    /** Records what was done. */
    void record(Connection connection, String what, String subject, String reason, @Nullable String detail)
            throws SQLException {
        sql.run(connection, OperatorSql.RECORD, database.who(), what, subject, reason, detail);
    }

    /** The names of the live members; null if there are none. */
    @Nullable
    String alive(Connection connection, int subscription) throws SQLException {
        return sql.first(connection, OperatorSql.ALIVE, row -> row.getString(1), subscription);
    }
}
