package org.pgbaton.wal;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.pgoutput.Lsn;
import org.pgbaton.publication.CapturePlan;
import org.pgbaton.publication.PublishedTable;
import org.pgbaton.session.Sql;

/**
 * The row of a capture in the table {@code capture}. All statements run in the caller's transaction. Immutable.
 *
 * @param written the last change that is in the log; null if the slot was not made yet
 * @param acknowledged the place that was recorded last for an acknowledgement; null if the slot was not made yet
 * @param skip unreadable changes up to this one are skipped
 */
record CaptureRow(
        String log,
        String publication,
        String slot,
        String system,
        @Nullable ChangePlace written,
        @Nullable String acknowledged,
        List<String> tables,
        List<String> operations,
        @Nullable ChangePlace skip) {

    static @Nullable CaptureRow find(Connection connection, Sql sql, String capture) throws SQLException {
        return sql.first(connection, CaptureSql.FIND, CaptureRow::read, capture);
    }

    private static CaptureRow read(ResultSet row) throws SQLException {
        return new CaptureRow(
                row.getString("log"),
                row.getString("publication"),
                row.getString("slot"),
                row.getString("system"),
                place(row, "commit_lsn", "ordinal"),
                row.getString("acknowledged"),
                Sql.strings(row, "tables"),
                Sql.strings(row, "operations"),
                place(row, "skip_lsn", "skip_ordinal"));
    }

    /** Null if the LSN is NULL. */
    static @Nullable ChangePlace place(ResultSet row, String lsn, String ordinal) throws SQLException {
        String commit = row.getString(lsn);
        return commit == null ? null : new ChangePlace(Lsn.parse(commit), row.getLong(ordinal));
    }

    /** Inserts the row, or updates tables and operations. */
    static void record(Connection connection, Sql sql, CapturePlan plan, List<PublishedTable> tables)
            throws SQLException {
        sql.run(
                connection,
                CaptureSql.RECORD,
                plan.name(),
                plan.log(),
                plan.publication(),
                !plan.foreignPublication(),
                plan.slot(),
                Sql.texts(tables, PublishedTable::quoted),
                Sql.texts(plan.operationWords()));
    }

    /** Records where the slot begins, unless that is recorded already. */
    static void recordBegin(Connection connection, Sql sql, String capture, String lsn) throws SQLException {
        sql.run(connection, CaptureSql.BEGIN_AT, lsn, lsn, capture);
    }

    boolean hasBegun() {
        return acknowledged != null;
    }
}
