package org.pgbaton.snapshot;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.CaptureException;
import org.pgbaton.pgoutput.Decoder;
import org.pgbaton.pgoutput.Row;
import org.pgbaton.pgoutput.RowKey;
import org.pgbaton.pgoutput.TableRows;
import org.pgbaton.publication.CapturePlan;
import org.pgbaton.publication.KeyColumns;
import org.pgbaton.publication.PublishedTable;
import org.pgbaton.session.Sql;
import org.postgresql.PGStatement;

/** A table whose existing rows are sent: reads them in chunks, in the order of the primary key. Not thread-safe. */
final class SnapshotTable {
    private static final int CHUNK = 1000;

    /** @param declared its type, with length or precision */
    private record KeyColumn(String name, String quoted, String declared) {}

    private final PublishedTable table;
    private final List<String> primaryKey;
    private final KeyColumns keyInStream;
    private final TableRows rows;
    private final String firstChunk;
    private final String nextChunk;

    private SnapshotTable(PublishedTable table, List<KeyColumn> key, List<String> quotedColumns, TableRows rows) {
        this.table = table;
        this.primaryKey = key.stream().map(KeyColumn::name).toList();
        this.keyInStream = KeyColumns.ofPrimaryKey(table, primaryKey);
        this.rows = rows;
        this.firstChunk = select(table, quotedColumns, key, false);
        this.nextChunk = select(table, quotedColumns, key, true);
    }

    /** @throws CaptureException if the table has no primary key among its published columns */
    static SnapshotTable of(Connection connection, Sql sql, CapturePlan plan, PublishedTable table)
            throws SQLException {
        List<TableRows.TableColumn> columns = new ArrayList<>();
        List<String> quoted = new ArrayList<>();
        Map<Integer, KeyColumn> key = new TreeMap<>();
        Map<Long, Character> delimiters = new HashMap<>();
        sql.all(
                connection,
                SnapshotSql.COLUMNS,
                row -> {
                    int place = row.getInt("key_place");
                    columns.add(column(row));
                    delimiters.put(
                            row.getLong("atttypid"), row.getString("delimiter").charAt(0));
                    if (place >= 0) {
                        key.put(
                                place,
                                new KeyColumn(
                                        row.getString("attname"), row.getString("quoted"), row.getString("declared")));
                    }
                    return quoted.add(row.getString("quoted"));
                },
                table.oid(),
                plan.publication());
        if (key.isEmpty()) {
            throw new CaptureException(
                    plan.heading() + table.quoted()
                            + " has no primary key among the columns that are published, by which its rows could be read in chunks. Give it one.");
        }
        TableRows rows = new TableRows(
                table.oid(), table.schema(), table.name(), columns, type -> delimiters.getOrDefault(type, ','));
        return new SnapshotTable(table, List.copyOf(key.values()), quoted, rows);
    }

    private static TableRows.TableColumn column(ResultSet row) throws SQLException {
        return new TableRows.TableColumn(
                row.getString("attname"),
                row.getLong("atttypid"),
                row.getInt("atttypmod"),
                row.getString("nspname"),
                row.getString("typname"),
                row.getInt("key_place") >= 0);
    }

    private static String select(PublishedTable table, List<String> columns, List<KeyColumn> key, boolean afterKey) {
        String names = key.stream().map(KeyColumn::quoted).collect(Collectors.joining(", "));
        String values =
                key.stream().map(column -> "CAST(? AS " + column.declared + ")").collect(Collectors.joining(", "));
        return "SELECT pg_current_snapshot()::text, " + String.join(", ", columns) + " FROM " + table.quoted()
                + " WHERE "
                + (table.request().where() == null
                        ? "true"
                        : "(" + table.request().where() + "\n)")
                + (afterKey ? " AND (" + names + ") > (" + values + ")" : "")
                + " ORDER BY " + names + " LIMIT " + CHUNK;
    }

    PublishedTable table() {
        return table;
    }

    /**
     * Reads the rows after a key.
     *
     * @param after null for the first rows
     * @return empty if the query did not see all transactions that have passed, so that it must be repeated
     */
    Optional<Chunk> read(Connection connection, @Nullable List<String> after, PassedTransactions passed)
            throws SQLException {
        try (Statement settings = connection.createStatement()) {
            for (String setting : Decoder.SETTINGS) {
                settings.execute(setting.replaceFirst("SET ", "SET LOCAL "));
            }
        }
        try (PreparedStatement select = connection.prepareStatement(after == null ? firstChunk : nextChunk)) {
            // A statement that is prepared on the server gets some types in binary form, and not as the stream has
            // them.
            select.unwrap(PGStatement.class).setPrepareThreshold(0);
            for (int i = 0; after != null && i < after.size(); i++) {
                select.setString(i + 1, after.get(i));
            }
            try (ResultSet row = select.executeQuery()) {
                return chunk(row, passed);
            }
        }
    }

    private Optional<Chunk> chunk(ResultSet result, PassedTransactions passed) throws SQLException {
        int columns = result.getMetaData().getColumnCount();
        Map<String, Row> found = new LinkedHashMap<>();
        Row last = null;
        int count = 0;
        while (result.next()) {
            if (count == 0 && !passed.areSeenBy(result.getString(1))) {
                return Optional.empty();
            }
            List<@Nullable String> values = new ArrayList<>();
            for (int i = 2; i <= columns; i++) {
                values.add(result.getString(i));
            }
            last = rows.row(values);
            found.put(String.valueOf(RowKey.of(last, primaryKey)), last);
            count++;
        }
        List<String> lastKey = last == null ? null : texts(last);
        return Optional.of(new Chunk(table, keyInStream, found, lastKey, count < CHUNK));
    }

    private List<String> texts(Row row) {
        return primaryKey.stream()
                .map(column -> String.valueOf(row.text(column)))
                .toList();
    }
}
