package org.pgbaton.inbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.Fault;
import org.pgbaton.database.SchemaName;

/**
 * Makes at least once exactly once, for a receiver that does its work in PostgreSQL: remembers which messages it has had, in the transaction
 * that does the work.
 *
 * <pre>{@code
 * Inbox inbox = Inbox.named("billing");
 * connection.setAutoCommit(false);
 * if (inbox.firstTime(connection, id, key, epoch)) {
 *     connection.createStatement().execute("UPDATE account SET orders = orders + 1"); // the message's work
 * }
 * connection.commit();
 * }</pre>
 *
 * <p>Guarantee: {@code firstTime} is true in exactly one transaction that commits, for each inbox and id, as long as the id is not
 * {@linkplain #forget forgotten}. Of two transactions at the same time the second waits for the end of the first; in REPEATABLE READ and
 * above it may fail instead with SQLSTATE 40001, as any write there, and is to be tried again.
 *
 * <p>With key and epoch, transactions of one key run one after the other, and none with a lower epoch after one with a higher. One transaction for each
 * message, or keys always in the same order, lets no two of them wait for each other.
 *
 * <p>It needs Baton's tables in the receiver's database ({@code baton migrate}) and nothing that runs. Thread-safe.
 */
public final class Inbox {
    private static final int CHUNK = 10_000;

    private final SchemaName schema;
    private final String name;

    private Inbox(SchemaName schema, String name) {
        if (name.isBlank() || name.length() > 200) {
            throw new IllegalArgumentException("'" + name.substring(0, Math.min(40, name.length()))
                    + "' cannot name an inbox: give 1 to 200 characters.");
        }
        this.schema = schema;
        this.name = name;
    }

    /** In the schema {@code baton}. Different receivers in one database have different names. */
    public static Inbox named(String name) {
        return new Inbox(SchemaName.DEFAULT, name);
    }

    /** In another schema than {@code baton}. */
    public static Inbox named(SchemaName schema, String name) {
        return new Inbox(schema, name);
    }

    /** The name of the receiver. */
    public String name() {
        return name;
    }

    /**
     * Whether the message is here for the first time.
     *
     * @param connection in the transaction that does the message's work
     * @throws IllegalStateException if the connection is in autocommit mode
     * @throws SQLException if the database refuses, or the connection is lost
     */
    public boolean firstTime(Connection connection, UUID id) throws SQLException {
        return firstTime(connection, id, null, null);
    }

    /**
     * The same, and refuses a sender that lost the key meanwhile: one that was frozen, for instance, and sends on. A message that was here
     * before is false, whatever its epoch.
     *
     * @throws StaleEpochException if a higher epoch of the same key was here before
     * @throws IllegalStateException if the connection is in autocommit mode
     * @throws SQLException if the database refuses, or the connection is lost
     */
    public boolean firstTime(Connection connection, UUID id, String key, long epoch) throws SQLException {
        try {
            return firstTime(connection, id, Objects.requireNonNull(key, "key"), (Long) epoch);
        } catch (SQLException failure) {
            if (Fault.of(failure) == Fault.STALE) {
                throw new StaleEpochException(name, id, key, epoch, failure);
            }
            throw failure;
        }
    }

    private boolean firstTime(Connection connection, UUID id, @Nullable String key, @Nullable Long epoch)
            throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "A message is received in the transaction that does its work, and this connection is in autocommit mode: "
                            + "call setAutoCommit(false) first, or use your framework's transaction.");
        }
        try (PreparedStatement ask = connection.prepareStatement(schema.in(InboxSql.FIRST_TIME))) {
            ask.setString(1, name);
            ask.setObject(2, Objects.requireNonNull(id, "id"));
            ask.setString(3, key);
            ask.setObject(4, epoch, Types.BIGINT);
            try (ResultSet row = ask.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        }
    }

    /**
     * Forgets ids and epochs that came longer ago, the oldest first, at most 10,000 of each. To be called until it returns 0, best with a
     * commit in between. Nobody does it unasked.
     *
     * @param olderThan longer than a duplicate can take: than anybody rewinds the relay, for instance
     * @return how many were forgotten
     * @throws SQLException if the database refuses, or the connection is lost
     */
    public int forget(Connection connection, Duration olderThan) throws SQLException {
        if (olderThan.isNegative()) {
            throw new IllegalArgumentException(
                    "What is older than " + olderThan + " makes no sense: give 0 s or more.");
        }
        try (PreparedStatement forget = connection.prepareStatement(schema.in(InboxSql.FORGET))) {
            forget.setString(1, name);
            forget.setDouble(2, olderThan.toMillis() / 1000.0);
            forget.setInt(3, CHUNK);
            try (ResultSet row = forget.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    @Override
    public String toString() {
        return "inbox '" + name + "'";
    }
}
