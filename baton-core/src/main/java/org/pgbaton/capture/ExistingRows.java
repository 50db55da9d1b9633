package org.pgbaton.capture;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.pgoutput.Change;
import org.pgbaton.capture.pgoutput.DecodeException;
import org.pgbaton.capture.pgoutput.Decoder;
import org.pgbaton.capture.pgoutput.Imitation;
import org.pgbaton.capture.pgoutput.Row;
import org.pgbaton.capture.pgoutput.WalMessage;
import org.pgbaton.session.Database;
import org.postgresql.PGStatement;

/**
 * Sends rows that were there before, in between the changes, while the tables are written to.
 *
 * <p>Guarantee: after a row's message no older state of it follows, and no row is left out. Protocol: read a chunk by primary key; then
 * say a word into the WAL, and wait until the slot repeats it. What the slot tells of the chunk's rows before that word may be newer than the
 * chunk, so these rows are left out: their change is in the log instead. When the word comes, the rest goes to the log, with the key of
 * the last row, in the transaction that moves the mark; so after a crash the next reader goes on behind it.
 *
 * <p>One thing could still be older than a change: a transaction is in the WAL, and so perhaps with us, a moment before others see it. A
 * chunk that does not see a transaction which has passed here already is thrown away and read again. For those that passed before this
 * reader began, it waits at the start until no transaction is open that was open then.
 *
 * <p>Not thread-safe: the reader's thread calls.
 */
final class ExistingRows {
    /** What is said into the WAL begins with this; nobody else should say it. */
    static final String PREFIX = "baton.capture";

    private static final int CHUNK = 1000;

    private final Database database;
    private final Plan plan;
    private final List<Table> tables;
    private final Set<Long> passed = new HashSet<>();
    private @Nullable Set<Long> openAtTheStart;
    private @Nullable Source source;
    private @Nullable Chunk chunk;

    /** What has to be recorded with the rows: at most one chunk is on its way. */
    private @Nullable Progress progress;

    ExistingRows(Database database, Plan plan, List<Table> tables) {
        this.database = database;
        this.plan = plan;
        this.tables = tables;
    }

    private record Request(int id, String table, @Nullable List<String> after) {}

    /** A table that is being sent. */
    private record Source(
            int request,
            Table table,
            List<String> key,
            KeyColumns inStream,
            Imitation imitation,
            String first,
            String following) {}

    /** @param rows by the text of their primary key, in its order */
    private record Chunk(
            String word,
            Source source,
            Map<String, Row> rows,
            @Nullable List<String> lastKey,
            boolean isLast) {}

    private record Progress(int request, @Nullable List<String> lastKey, int sent, boolean done) {}

    /** Whether a table is being sent; if not, it is enough to ask for one now and then. */
    boolean isBusy() {
        return source != null;
    }

    /** Takes the next step if there is anything to do and nothing under way. */
    void step() {
        if (chunk != null || progress != null) {
            return;
        }
        Request request = next();
        if (request == null) {
            source = null;
            openAtTheStart = null;
            passed.clear();
            return;
        }
        if (isTooEarly()) {
            return;
        }
        Source current = source;
        if (current == null || current.request != request.id) {
            current = sourceOf(request);
            source = current;
        }
        if (current == null) {
            progress = new Progress(request.id, null, 0, true);
            return;
        }
        chunk = read(current, request);
        if (chunk != null) {
            say(chunk.word);
        }
    }

    /** A transaction begins to come in. */
    void saw(WalMessage.Begin begin) {
        passed.add(begin.xid());
        if (openAtTheStart != null) {
            openAtTheStart.remove(begin.xid());
        }
    }

    /** A change comes in: it is newer than what the chunk has, or as new. */
    void saw(Change change) {
        Chunk waiting = chunk;
        if (waiting == null || change.relation().oid() != waiting.source.table.oid()) {
            return;
        }
        if (change.operation() == Operation.TRUNCATE) {
            waiting.rows.clear();
            return;
        }
        List<String> key = waiting.source.inStream.in(change.relation());
        try {
            for (Change each : change.changesKey(key) ? change.asDeleteAndInsert() : List.of(change)) {
                waiting.rows.remove(each.key(key));
            }
        } catch (DecodeException untold) {
            // Nobody can say which row it was: the chunk is read again.
            chunk = null;
        }
    }

    /** The rows that may follow now, if this is the word we wait for; it need not be, for another reader may have said it. */
    List<Row> heard(WalMessage.Emitted emitted) {
        Chunk waiting = chunk;
        if (waiting == null || !emitted.text().equals(waiting.word)) {
            return List.of();
        }
        chunk = null;
        List<Row> rows = List.copyOf(waiting.rows.values());
        progress = new Progress(waiting.source.request, waiting.lastKey, rows.size(), waiting.isLast);
        return rows;
    }

    /** The table whose rows {@link #heard} gave. */
    Table table() {
        Source current = source;
        if (current == null) {
            throw new IllegalStateException("No table is being sent.");
        }
        return current.table;
    }

    boolean hasProgress() {
        return progress != null;
    }

    /** In the transaction that writes the rows. */
    void record(Connection connection) throws SQLException {
        Progress made = progress;
        if (made == null) {
            return;
        }
        try (PreparedStatement update = prepare(connection, CaptureSql.ADVANCE_SNAPSHOT)) {
            update.setArray(1, made.lastKey == null ? null : connection.createArrayOf("text", made.lastKey.toArray()));
            update.setInt(2, made.sent);
            update.setBoolean(3, made.done);
            update.setInt(4, made.request);
            update.executeUpdate();
        }
    }

    void recorded() {
        progress = null;
    }

    private @Nullable Request next() {
        return database.<Optional<Request>>call("look for rows to send", connection -> {
                    try (PreparedStatement select = prepare(connection, CaptureSql.NEXT_SNAPSHOT)) {
                        select.setString(1, plan.name());
                        try (ResultSet row = select.executeQuery()) {
                            return row.next()
                                    ? Optional.of(new Request(
                                            row.getInt(1),
                                            row.getString(2),
                                            row.getArray(3) == null
                                                    ? null
                                                    : List.of((String[])
                                                            row.getArray(3).getArray())))
                                    : Optional.empty();
                        }
                    }
                })
                .orElse(null);
    }

    /** Whether a transaction is open that was when this reader began, and that may have passed before. */
    private boolean isTooEarly() {
        Set<Long> open = database.call("look which transactions are open", connection -> {
            Set<Long> numbers = new HashSet<>();
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT x::text::bigint & 4294967295 FROM "
                            + "pg_snapshot_xip(pg_current_snapshot()) x WHERE x::text::bigint & 4294967295 NOT IN "
                            + "(SELECT transaction::text::bigint FROM pg_prepared_xacts)")) {
                while (row.next()) {
                    numbers.add(row.getLong(1));
                }
            }
            return numbers;
        });
        if (openAtTheStart == null) {
            openAtTheStart = new HashSet<>(open);
        }
        openAtTheStart.retainAll(open);
        return !openAtTheStart.isEmpty();
    }

    /** Null if the table is not captured any more. */
    private @Nullable Source sourceOf(Request request) {
        Table table = tables.stream()
                .filter(each -> each.quoted().equals(request.table))
                .findFirst()
                .orElse(null);
        if (table == null) {
            return null;
        }
        return database.call("look at the columns of " + table.quoted(), connection -> {
            List<Imitation.ColumnOf> columns = new ArrayList<>();
            List<String> selected = new ArrayList<>();
            Map<Integer, String[]> key = new TreeMap<>();
            Map<Long, Character> delimiters = new HashMap<>();
            try (PreparedStatement select = prepare(connection, CaptureSql.COLUMNS)) {
                select.setLong(1, table.oid());
                select.setString(2, plan.publication());
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        int place = row.getInt("key_place");
                        columns.add(new Imitation.ColumnOf(
                                row.getString("attname"),
                                row.getLong("atttypid"),
                                row.getInt("atttypmod"),
                                row.getString("nspname"),
                                row.getString("typname"),
                                place >= 0));
                        selected.add(row.getString("quoted"));
                        delimiters.put(
                                row.getLong("atttypid"),
                                row.getString("delimiter").charAt(0));
                        if (place >= 0) {
                            key.put(place, new String[] {
                                row.getString("attname"), row.getString("quoted"), row.getString("declared")
                            });
                        }
                    }
                }
            }
            if (key.isEmpty()) {
                throw new CaptureException(
                        "Capture '" + plan.name() + "': " + table.quoted()
                                + " has no primary key among the columns that are published, by which its rows could be read in chunks. Give it one.");
            }
            List<String> primary =
                    key.values().stream().map(column -> column[0]).toList();
            return new Source(
                    request.id,
                    table,
                    primary,
                    KeyColumns.ofPrimaryKey(table, primary),
                    new Imitation(
                            table.oid(),
                            table.schema(),
                            table.name(),
                            columns,
                            type -> delimiters.getOrDefault(type, ',')),
                    select(table, selected, List.copyOf(key.values()), false),
                    select(table, selected, List.copyOf(key.values()), true));
        });
    }

    /** @param following whether it begins behind a key */
    private static String select(Table table, List<String> columns, List<String[]> key, boolean following) {
        String names = key.stream().map(column -> column[1]).collect(Collectors.joining(", "));
        String values =
                key.stream().map(column -> "CAST(? AS " + column[2] + ")").collect(Collectors.joining(", "));
        return "SELECT pg_current_snapshot()::text, " + String.join(", ", columns) + " FROM " + table.quoted()
                + " WHERE "
                + (table.wish().where() == null ? "true" : "(" + table.wish().where() + "\n)")
                + (following ? " AND (" + names + ") > (" + values + ")" : "")
                + " ORDER BY " + names + " LIMIT " + CHUNK;
    }

    /** Null if it must be read again. */
    private @Nullable Chunk read(Source from, Request request) {
        return database.<Optional<Chunk>>call("read rows of " + from.table.quoted(), connection -> {
                    try (Statement settings = connection.createStatement()) {
                        for (String setting : Decoder.SETTINGS) {
                            settings.execute(setting.replaceFirst("SET ", "SET LOCAL "));
                        }
                    }
                    String sql = request.after == null ? from.first : from.following;
                    try (PreparedStatement select = connection.prepareStatement(sql)) {
                        // Prepared on the server, some types would come in binary form, and not as the stream has them.
                        select.unwrap(PGStatement.class).setPrepareThreshold(0);
                        for (int i = 0; request.after != null && i < request.after.size(); i++) {
                            select.setString(i + 1, request.after.get(i));
                        }
                        try (ResultSet row = select.executeQuery()) {
                            return chunk(from, row);
                        }
                    }
                })
                .orElse(null);
    }

    private Optional<Chunk> chunk(Source from, ResultSet result) throws SQLException {
        int columns = result.getMetaData().getColumnCount();
        Map<String, Row> rows = new LinkedHashMap<>();
        Row last = null;
        int count = 0;
        while (result.next()) {
            if (count == 0 && !seesEverythingThatPassed(result.getString(1))) {
                return Optional.empty();
            }
            List<@Nullable String> values = new ArrayList<>();
            for (int i = 2; i <= columns; i++) {
                values.add(result.getString(i));
            }
            last = from.imitation.row(values);
            rows.put(String.valueOf(last.key(from.key)), last);
            count++;
        }
        List<String> lastKey = last == null ? null : texts(last, from.key);
        return Optional.of(new Chunk(UUID.randomUUID().toString(), from, rows, lastKey, count < CHUNK));
    }

    private static List<String> texts(Row row, List<String> columns) {
        return columns.stream().map(column -> String.valueOf(row.text(column))).toList();
    }

    /** @param snapshot as PostgreSQL writes it: the first number that may be open, the first that was not given out, those that are open */
    private boolean seesEverythingThatPassed(String snapshot) {
        String[] parts = snapshot.split(":", -1);
        long next = Long.parseLong(parts[1]) & 0xffff_ffffL;
        Set<Long> open = new HashSet<>();
        for (String number : parts[2].split(",", 0)) {
            if (!number.isEmpty()) {
                open.add(Long.parseLong(number) & 0xffff_ffffL);
            }
        }
        // Numbers wrap around: what is ahead by less than half of them is later.
        passed.removeIf(number -> !open.contains(number) && (int) (number - next) < 0);
        return passed.isEmpty();
    }

    private void say(String word) {
        database.call("say a word into the WAL", connection -> {
            try (PreparedStatement emit = connection.prepareStatement(CaptureSql.EMIT)) {
                emit.setString(1, PREFIX);
                emit.setString(2, word);
                return emit.execute();
            }
        });
    }

    private PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        return connection.prepareStatement(database.schema().in(sql));
    }
}
