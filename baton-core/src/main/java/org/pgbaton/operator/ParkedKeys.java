package org.pgbaton.operator;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.session.Sql;
import org.pgbaton.subscription.ParkedKey;
import org.pgbaton.subscription.SubscriptionException;
import org.pgbaton.table.LogTable;
import org.pgbaton.table.MessageRow;

/**
 * What operators do with keys that are set aside: look, try again, skip a message. They leave requests; only the lane's owner drains.
 * Thread-safe.
 */
final class ParkedKeys {
    private static final int MOST_SHOWN = 10_000;

    private final OperatorTransactions operator;
    /** Null: the live one. */
    private final @Nullable String target;

    ParkedKeys(OperatorTransactions operator, @Nullable String target) {
        this.operator = operator;
        this.target = target;
    }

    List<ParkedKey> list(@Nullable String name) {
        return operator.database()
                .call(
                        "read the parked keys",
                        connection -> operator.sql()
                                .all(
                                        connection,
                                        OperatorSql.PARKED,
                                        ParkedKeys::read,
                                        name,
                                        name,
                                        null, // every key
                                        null,
                                        MOST_SHOWN));
    }

    private static ParkedKey read(ResultSet row) throws SQLException {
        return new ParkedKey(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                ParkedKey.State.of(row.getString(4)),
                row.getInt(5),
                row.getString(6),
                Sql.instant(row, "since"),
                Sql.instant(row, "next_attempt_at"),
                row.getLong(9),
                row.getLong(10));
    }

    List<Message> messages(String name, String key, long after, int most) {
        return operator.database().call("read the messages of a parked key", connection -> {
            OperatorTransactions.Found found = operator.find(connection, name, target);
            LogTable log = LogTable.find(operator.database(), connection, found.log());
            return operator.sql()
                    .all(
                            connection,
                            OperatorSql.MESSAGES.formatted(MessageRow.COLUMNS, log.table()),
                            row -> MessageRow.read(row, connection, log.table()),
                            found.id(),
                            key,
                            after,
                            most);
        });
    }

    /**
     * @param key null for all
     * @param errorContains null for any
     * @return how many keys
     */
    int retry(String name, @Nullable String key, @Nullable String errorContains, String reason) {
        int[] keys = new int[1];
        String detail = key == null ? "errors containing '" + errorContains + "'" : "key '" + key + "'";
        operator.change(
                name,
                target,
                "retry",
                reason,
                errorContains == null && key == null ? "all keys" : detail,
                (connection, found) -> keys[0] = operator.sql()
                        .run(connection, OperatorSql.RETRY, found.id(), key, key, errorContains, errorContains));
        return keys[0];
    }

    void skip(String name, String key, long position, String reason) {
        String detail = "message " + position + " of key '" + key + "'";
        operator.change(name, target, "skip", reason, detail, (connection, found) -> {
            if (operator.sql().run(connection, OperatorSql.SKIP, found.id(), key, position) == 0) {
                if (operator.sql().number(connection, OperatorSql.IS_NOT_PASSED, found.id(), key, position) > 0) {
                    throw new SubscriptionException("Message " + position + " of key '" + key + "' in subscription '"
                            + name + "' cannot be skipped yet: the batch that sets it aside has not ended. Try again "
                            + "in a moment, or when the target is back.");
                }
                throw new SubscriptionException("Message " + position + " is not the first that waits of key '" + key
                        + "' in subscription '" + name + "': look again with 'baton parked show'.");
            }
            operator.sql().run(connection, OperatorSql.RETRY, found.id(), key, key, null, null);
        });
    }
}
