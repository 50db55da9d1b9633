package org.pgbaton.table;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.LogException;
import org.pgbaton.log.Message;

/**
 * From a row of a log to a {@link Message}. Large bodies do not come with the many: they are fetched one by one, so that the memory
 * of a batch is bounded, whatever its messages weigh.
 */
public final class MessageRow {

    /** The columns to select, from the log's table without an alias. */
    public static final String COLUMNS = """
            position, lane, key, version, type, topic, id, headers, recorded_at, payload IS NOT NULL,
            CASE WHEN pg_catalog.pg_column_size(payload) OPERATOR(pg_catalog.<=) 32768 THEN payload END,
            CASE WHEN pg_catalog.pg_column_size(data) OPERATOR(pg_catalog.<=) 32768 THEN data END""";

    /** A body may be so much of the heap; as text, as bytes, and while it is sent, it is there at the same time. */
    private static final int MOST_OF_THE_HEAP = 8;

    /** The stored body may be compressed. Its real size is computed once, and not at all if the compressed body is too large already. */
    private static final String BODY = """
            SELECT CASE WHEN s.fits THEN payload END, CASE WHEN s.fits THEN data END, s.bytes
              FROM %s
             CROSS JOIN (SELECT ?::pg_catalog.int8 AS most) l
             CROSS JOIN LATERAL (
               SELECT b.bytes, b.bytes OPERATOR(pg_catalog.<=) l.most AS fits
                 FROM (SELECT CASE WHEN data IS NOT NULL THEN pg_catalog.octet_length(data)
                                   WHEN pg_catalog.pg_column_size(payload) OPERATOR(pg_catalog.>) l.most THEN pg_catalog.pg_column_size(payload)
                                   ELSE pg_catalog.octet_length(pg_catalog.json_send(payload)) END::pg_catalog.int8 AS bytes OFFSET 0) b OFFSET 0) s
             WHERE position OPERATOR(pg_catalog.=) ?""";

    private MessageRow() {}

    /**
     * @param table the log's table, quoted, for fetching a large body on the same connection
     * @throws LogException if this process has not the memory for its body
     */
    public static Message read(ResultSet row, Connection connection, String table) throws SQLException {
        StoredMessage message = readOrExcuse(row, connection, table);
        if (message.excuse() != null) {
            throw new LogException(message.excuse());
        }
        return message;
    }

    /** The same, but a message whose body is too large for this process comes without it, and {@linkplain StoredMessage#excuse says why}. */
    public static StoredMessage readOrExcuse(ResultSet row, Connection connection, String table) throws SQLException {
        long position = row.getLong(1);
        boolean json = row.getBoolean(10);
        byte[] body = row.getBytes(json ? 11 : 12);
        long version = row.getLong(4);
        boolean versioned = !row.wasNull();
        @Nullable String excuse = null;
        if (body == null) {
            Body fetched = body(connection, table, position);
            body = fetched.bytes();
            excuse = fetched.excuse();
        }
        return new StoredMessage(
                position,
                row.getInt(2),
                row.getString(3),
                versioned ? version : null,
                row.getString(5),
                row.getString(6),
                row.getObject(7, UUID.class),
                json,
                body,
                row.getString(8),
                row.getObject(9, OffsetDateTime.class).toInstant(),
                excuse);
    }

    /** @param excuse why there are no bytes; null if there are */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares them
    private record Body(byte[] bytes, @Nullable String excuse) {
        static Body tooLarge(String table, long position, long bytes) {
            long heap = Runtime.getRuntime().maxMemory() >> 20;
            return new Body(
                    new byte[0],
                    "Message " + position + " of log " + table + " has a body of " + (bytes >> 20)
                            + " MB, which is too large for this process with its heap of " + heap
                            + " MB: give it more (-Xmx), or skip the message.");
        }
    }

    /** Its size is looked at first: it is needed several times over while it is read. */
    private static Body body(Connection connection, String table, long position) throws SQLException {
        long most = Runtime.getRuntime().maxMemory() / MOST_OF_THE_HEAP;
        try (PreparedStatement select = connection.prepareStatement(BODY.formatted(table))) {
            select.setLong(1, most);
            select.setLong(2, position);
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    throw new SQLException(
                            "message " + position + " of log " + table + " disappeared while it was read");
                }
                long bytes = row.getLong(3);
                if (bytes > most) {
                    return Body.tooLarge(table, position, bytes);
                }
                byte[] json = row.getBytes(1);
                return new Body(json == null ? row.getBytes(2) : json, null);
            }
        }
    }
}
