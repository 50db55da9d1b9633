package org.pgbaton.wal;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.session.Sql;

/**
 * The wishes of operators to the reader of a capture. Immutable.
 *
 * @param skip unreadable changes up to this one are to be skipped; null if none is
 * @param openGaps the number of gaps that nobody has settled
 */
record OperatorWishes(boolean isPaused, @Nullable ChangePlace skip, long openGaps) {
    private static final OperatorWishes NONE = new OperatorWishes(false, null, 0);

    static OperatorWishes read(Connection connection, Sql sql, String capture) throws SQLException {
        OperatorWishes found = sql.first(
                connection,
                CaptureSql.WISHES,
                row -> new OperatorWishes(
                        row.getBoolean("paused"),
                        CaptureRow.place(row, "skip_lsn", "skip_ordinal"),
                        row.getLong("gaps")),
                capture);
        return found == null ? NONE : found;
    }

    /** Whether that change is to be skipped. */
    boolean skips(ChangePlace change) {
        return skip != null && !skip.isBefore(change.commitLsn(), change.ordinal());
    }
}
