package org.pgbaton.snapshot;

import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.SnapshotStatus;
import org.pgbaton.session.Sql;

/**
 * The tables whose existing rows were asked for, and how far each is: the table {@code capture_snapshot}. All statements run in the caller's
 * transaction. Thread-safe.
 */
public final class SnapshotRequests {
    private final Sql sql;
    private final String capture;

    public SnapshotRequests(Sql sql, String capture) {
        this.sql = sql;
        this.capture = capture;
    }

    /** @param after the primary key of the last row that was sent; null at the beginning */
    record Request(int id, String table, @Nullable List<String> after) {
        static Request read(ResultSet row) throws SQLException {
            Array after = row.getArray(3);
            return new Request(
                    row.getInt(1), row.getString(2), after == null ? null : List.of((String[]) after.getArray()));
        }
    }

    /** How far a request is after a chunk; recorded together with its rows. */
    record Progress(int request, @Nullable List<String> lastKey, int sent, boolean isDone) {}

    /**
     * Asks for the rows of these tables, except for those that are being sent.
     *
     * @return how many tables will be sent
     */
    public int add(Connection connection, List<String> quotedTables) throws SQLException {
        return sql.run(connection, SnapshotSql.REQUEST, capture, Sql.texts(quotedTables));
    }

    public List<SnapshotStatus> list(Connection connection) throws SQLException {
        return sql.all(
                connection,
                SnapshotSql.LIST,
                row -> new SnapshotStatus(
                        row.getString("table_name"),
                        row.getLong("sent"),
                        row.getLong("estimated"),
                        Sql.instantOrNull(row, "begun_at"),
                        Sql.instantOrNull(row, "done_at")),
                capture);
    }

    /** The oldest request that is not done. */
    @Nullable
    Request next(Connection connection) throws SQLException {
        return sql.first(connection, SnapshotSql.NEXT, Request::read, capture);
    }

    void record(Connection connection, Progress progress) throws SQLException {
        List<String> lastKey = progress.lastKey;
        sql.run(
                connection,
                SnapshotSql.ADVANCE,
                lastKey == null ? null : Sql.texts(lastKey),
                progress.sent,
                progress.isDone,
                progress.request);
    }
}
