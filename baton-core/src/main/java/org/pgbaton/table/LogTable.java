package org.pgbaton.table;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.LogException;
import org.pgbaton.session.DatabaseAccess;

/**
 * Where a log lives.
 *
 * @param relation the table's OID: the first number of the log's advisory locks
 * @param sequence the OID of the sequence that gives out positions
 * @param table the quoted name, ready for SQL
 * @param payloadLimit of an outbox, how many bytes a payload may have; null: not an outbox
 */
public record LogTable(
        String name,
        long relation,
        long sequence,
        int lanes,
        String table,
        @Nullable Integer payloadLimit) {
    private static final String FIND =
            "SELECT relation::oid::bigint, sequence::oid::bigint, lanes, payload_limit FROM ${schema}.log WHERE name = ?";

    /** @throws LogException if there is no log of that name */
    public static LogTable named(DatabaseAccess database, String name) {
        return database.call("find the log '" + name + "'", connection -> find(database, connection, name));
    }

    /** The same on a connection that is at hand. */
    public static LogTable find(DatabaseAccess database, Connection connection, String name) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement(database.schema().in(FIND))) {
            select.setString(1, name);
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    throw new LogException("There is no log '" + name + "' in schema '" + database.schema()
                            + "': create it first, for instance with 'baton logs create " + name + "'.");
                }
                return new LogTable(
                        name,
                        row.getLong(1),
                        row.getLong(2),
                        row.getInt(3),
                        database.schema().in("${schema}.\"" + name + '"'),
                        row.getObject(4, Integer.class));
            }
        }
    }

    /** The lane of a key, as the database computes it. */
    public int laneOf(String key) {
        return laneOf(key, lanes);
    }

    static int laneOf(String key, int lanes) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
            int first = (hash[0] & 0xff) << 24 | (hash[1] & 0xff) << 16 | (hash[2] & 0xff) << 8 | (hash[3] & 0xff);
            return Integer.remainderUnsigned(first, lanes);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every JVM has SHA-256.", impossible);
        }
    }
}
