package org.pgbaton.table;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Appended;
import org.pgbaton.log.Draft;

/**
 * Rows on their way into a log: a chunk is one statement with an array for each column. A chunk has at most a thousand
 * rows and, unless a single one is larger, two megabytes; so however much is appended in one call, little of it is held
 * twice.
 */
final class Rows {
    /** A draft with what its stream adds to it. */
    record Row(Draft draft, @Nullable String key, @Nullable Long version) {}

    private static final int MOST_ROWS = 1000;
    private static final int MOST_BYTES = 2 << 20;

    private Rows() {}

    static <D> List<List<D>> chunks(List<D> all, Function<D, Draft> draft) {
        List<List<D>> chunks = new ArrayList<>();
        int start = 0;
        long weight = 0;
        for (int i = 0; i < all.size(); i++) {
            int more = weight(draft.apply(all.get(i)));
            if (i > start && (i - start == MOST_ROWS || weight + more > MOST_BYTES)) {
                chunks.add(all.subList(start, i));
                start = i;
                weight = 0;
            }
            weight += more;
        }
        if (start < all.size()) {
            chunks.add(all.subList(start, all.size()));
        }
        return chunks;
    }

    /** About how many bytes it takes to send. */
    private static int weight(Draft draft) {
        byte[] bytes = draft.bytes();
        return 100
                + length(draft.json())
                + length(draft.headers())
                + length(draft.key())
                + (bytes == null ? 0 : bytes.length);
    }

    private static int length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    /**
     * @param unless what may be there already
     * @param sql completes a statement
     * @return what was inserted, by id; what is missing was there already
     */
    static Map<UUID, Appended> insert(Connection connection, List<Row> rows, String unless, UnaryOperator<String> sql)
            throws SQLException {
        return rows.size() == 1
                ? insertOne(connection, rows.get(0), sql.apply(LogSql.INSERT_ONE + unless))
                : insertMany(connection, rows, sql.apply(LogSql.INSERT_MANY + unless));
    }

    private static Map<UUID, Appended> insertOne(Connection connection, Row row, String sql) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setObject(1, row.draft.id());
            insert.setString(2, row.key);
            insert.setObject(3, row.version, Types.BIGINT);
            insert.setString(4, row.draft.type());
            insert.setString(5, row.draft.topic());
            insert.setString(6, row.draft.headers());
            insert.setString(7, row.draft.json());
            insert.setBytes(8, row.draft.bytes());
            return inserted(insert, List.of(row));
        }
    }

    private static Map<UUID, Appended> insertMany(Connection connection, List<Row> rows, String sql)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setArray(1, connection.createArrayOf("uuid", column(rows, UUID[]::new, row -> row.draft.id())));
            insert.setArray(2, texts(connection, rows, Row::key));
            insert.setArray(3, connection.createArrayOf("int8", column(rows, Long[]::new, Row::version)));
            insert.setArray(4, texts(connection, rows, row -> row.draft.type()));
            insert.setArray(5, texts(connection, rows, row -> row.draft.topic()));
            insert.setArray(6, texts(connection, rows, row -> row.draft.headers()));
            insert.setArray(7, texts(connection, rows, row -> row.draft.json()));
            insert.setArray(
                    8, connection.createArrayOf("bytea", column(rows, byte[][]::new, row -> row.draft.bytes())));
            return inserted(insert, rows);
        }
    }

    private static Array texts(Connection connection, List<Row> rows, Function<Row, @Nullable String> of)
            throws SQLException {
        return connection.createArrayOf("text", column(rows, String[]::new, of));
    }

    private static <T> @Nullable T[] column(
            List<Row> rows, Function<Integer, @Nullable T[]> array, Function<Row, @Nullable T> of) {
        @Nullable T[] values = array.apply(rows.size());
        for (int i = 0; i < values.length; i++) {
            values[i] = of.apply(rows.get(i));
        }
        return values;
    }

    static Map<UUID, Appended> find(Connection connection, String sql, List<UUID> ids) throws SQLException {
        Map<UUID, Appended> found = new HashMap<>();
        for (int start = 0; start < ids.size(); start += MOST_ROWS) {
            List<UUID> some = ids.subList(start, Math.min(ids.size(), start + MOST_ROWS));
            try (PreparedStatement select = connection.prepareStatement(sql)) {
                select.setArray(1, connection.createArrayOf("uuid", some.toArray()));
                read(select).forEach((id, row) -> found.put(id, duplicate(row)));
            }
        }
        return found;
    }

    /** The answer for an id that is in the log already. */
    static Appended duplicate(Appended there) {
        return new Appended(there.position(), there.id(), there.key(), there.version(), true);
    }

    /** The database tells where they are; what they are we know. Of two with one id the first was inserted. */
    private static Map<UUID, Appended> inserted(PreparedStatement statement, List<Row> rows) throws SQLException {
        Map<UUID, Row> given = new HashMap<>();
        rows.forEach(row -> given.putIfAbsent(row.draft.id(), row));
        Map<UUID, Appended> fresh = new LinkedHashMap<>();
        try (ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                UUID id = result.getObject(2, UUID.class);
                Row row = Objects.requireNonNull(given.get(id));
                String key = row.key == null ? id.toString() : row.key;
                fresh.put(id, new Appended(result.getLong(1), id, key, row.version, false));
            }
        }
        return fresh;
    }

    private static Map<UUID, Appended> read(PreparedStatement statement) throws SQLException {
        Map<UUID, Appended> rows = new LinkedHashMap<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                UUID id = row.getObject(2, UUID.class);
                long version = row.getLong(4);
                boolean versioned = !row.wasNull();
                rows.put(id, new Appended(row.getLong(1), id, row.getString(3), versioned ? version : null, false));
            }
        }
        return rows;
    }
}
