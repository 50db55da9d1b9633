package org.pgbaton.snapshot;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgbaton.pgoutput.Change;
import org.pgbaton.pgoutput.Row;
import org.pgbaton.pgoutput.WalMessage;
import org.pgbaton.publication.CapturePlan;
import org.pgbaton.publication.PublishedTable;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Sql;

/**
 * Sends existing rows among the changes, while the tables are written to.
 *
 * <p>Guarantee: after the message of a row no older state of that row follows, and no row is left out. Protocol:
 *
 * <ol>
 *   <li>Read a chunk of rows in the order of the primary key.
 *   <li>Write a word into the WAL, and wait until the slot repeats it. A change that the slot sends before the word may be newer than the chunk, so
 *       its row is removed from the chunk: the change is in the log instead.
 *   <li>When the word comes, write the rest of the chunk to the log, with the key of its last row, in the transaction that records how far the capture
 *       is. After a crash the next reader continues behind that key.
 * </ol>
 *
 * <p>A chunk could still be older than a change that was sent before the chunk was read: see {@link PassedTransactions}. Such a chunk is thrown away
 * and read again.
 *
 * <p>Threading: the reader's thread calls.
 */
public final class ExistingRows {
    /** The prefix of the words in the WAL; nobody else should use it. */
    public static final String PREFIX = "baton.capture";

    private final DatabaseAccess database;
    private final CapturePlan plan;
    private final List<PublishedTable> tables;
    private final Sql sql;
    private final SnapshotRequests requests;
    private final PassedTransactions passed = new PassedTransactions();
    private @Nullable Source source;
    private @Nullable Chunk chunk;

    /** To be recorded with the rows of a chunk; at most one chunk is on its way. */
    private SnapshotRequests.@Nullable Progress progress;

    /** The table of a request. */
    private record Source(int request, SnapshotTable table) {}

    public ExistingRows(DatabaseAccess database, CapturePlan plan, List<PublishedTable> tables) {
        this.database = database;
        this.plan = plan;
        this.tables = tables;
        this.sql = new Sql(database.schema());
        this.requests = new SnapshotRequests(sql, plan.name());
    }

    /** Whether a table is being sent; if not, it is enough to call {@link #step} now and then. */
    public boolean isBusy() {
        return source != null;
    }

    /** Reads the next chunk, if there is a request and no chunk is on its way. */
    public void step() {
        if (chunk != null || progress != null) {
            return;
        }
        SnapshotRequests.Request request = nextRequest();
        if (request == null) {
            source = null;
            passed.clear();
            return;
        }
        if (isTooEarly()) {
            return;
        }
        Source current = source;
        if (current == null || current.request != request.id()) {
            current = sourceOf(request);
            source = current;
        }
        if (current == null) {
            progress = new SnapshotRequests.Progress(request.id(), null, 0, true);
            return;
        }
        chunk = read(current.table, request);
        if (chunk != null) {
            emit(chunk.word());
        }
    }

    private SnapshotRequests.@Nullable Request nextRequest() {
        return database.<Optional<SnapshotRequests.Request>>call(
                        "look for rows to send", connection -> Optional.ofNullable(requests.next(connection)))
                .orElse(null);
    }

    private boolean isTooEarly() {
        return passed.isTooEarly(new HashSet<>(database.call(
                "look which transactions are open",
                connection -> sql.all(connection, SnapshotSql.OPEN_TRANSACTIONS, row -> row.getLong(1)))));
    }

    /** Null if the table is not captured any more. */
    private @Nullable Source sourceOf(SnapshotRequests.Request request) {
        PublishedTable table = tables.stream()
                .filter(each -> each.quoted().equals(request.table()))
                .findFirst()
                .orElse(null);
        return table == null
                ? null
                : database.call(
                        "look at the columns of " + table.quoted(),
                        connection -> new Source(request.id(), SnapshotTable.of(connection, sql, plan, table)));
    }

    /** Null if it must be read again. */
    private @Nullable Chunk read(SnapshotTable table, SnapshotRequests.Request request) {
        return database.<Optional<Chunk>>call(
                        "read rows of " + table.table().quoted(),
                        connection -> table.read(connection, request.after(), passed))
                .orElse(null);
    }

    private void emit(String word) {
        database.call("say a word into the WAL", connection -> sql.isAny(connection, SnapshotSql.EMIT, PREFIX, word));
    }

    /** A transaction comes in by the stream. */
    public void saw(WalMessage.Begin begin) {
        passed.add(begin.xid());
    }

    /** A change comes in by the stream. */
    public void saw(Change change) {
        if (chunk != null && !chunk.remove(change)) {
            chunk = null;
        }
    }

    /** The rows that may follow now, if this is the word of our chunk. It may also be a former reader's word. */
    public List<Row> heard(WalMessage.Emitted emitted) {
        Chunk waiting = chunk;
        Source current = source;
        if (waiting == null || current == null || !emitted.text().equals(waiting.word())) {
            return List.of();
        }
        chunk = null;
        List<Row> rows = waiting.rows();
        progress = new SnapshotRequests.Progress(current.request, waiting.lastKey(), rows.size(), waiting.isLast());
        return rows;
    }

    /** The table whose rows {@link #heard} gave. */
    public PublishedTable table() {
        Source current = source;
        if (current == null) {
            throw new IllegalStateException("No table is being sent.");
        }
        return current.table.table();
    }

    /** Whether there is something to {@link #record}. */
    public boolean hasProgress() {
        return progress != null;
    }

    /** In the transaction that writes the rows. */
    public void record(Connection connection) throws SQLException {
        SnapshotRequests.Progress made = progress;
        if (made != null) {
            requests.record(connection, made);
        }
    }

    /** That transaction is committed. */
    public void recorded() {
        progress = null;
    }
}
