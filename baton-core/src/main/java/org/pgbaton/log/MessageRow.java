package org.pgbaton.log;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.UUID;

/**
 * From a row of a log to a {@link Message}. Large bodies do not come with the many: they are fetched one by one, so that the memory
 * of a batch is bounded, whatever its messages weigh. Not API.
 */
public final class MessageRow {

    /** What to select, from the log's table without an alias. */
    public static final String COLUMNS = """
            position, lane, key, version, type, topic, id, headers, recorded_at, payload IS NOT NULL,
            CASE WHEN pg_column_size(payload) <= 32768 THEN payload END,
            CASE WHEN pg_column_size(data) <= 32768 THEN data END""";

    private MessageRow() {}

    /** @param table the log's table, quoted, for fetching a large body on the same connection */
    public static Message read(ResultSet row, Connection connection, String table) throws SQLException {
        long position = row.getLong(1);
        boolean json = row.getBoolean(10);
        byte[] body = row.getBytes(json ? 11 : 12);
        long version = row.getLong(4);
        boolean versioned = !row.wasNull();
        return new Message(
                position,
                row.getInt(2),
                row.getString(3),
                versioned ? version : null,
                row.getString(5),
                row.getString(6),
                row.getObject(7, UUID.class),
                json,
                body == null ? body(connection, table, position) : body,
                row.getString(8),
                row.getObject(9, OffsetDateTime.class).toInstant());
    }

    private static byte[] body(Connection connection, String table, long position) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT payload, data FROM " + table + " WHERE position = ?")) {
            select.setLong(1, position);
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    throw new SQLException(
                            "message " + position + " of log " + table + " disappeared while it was read");
                }
                byte[] json = row.getBytes(1);
                return json == null ? row.getBytes(2) : json;
            }
        }
    }
}
