package org.pgbaton.slot;

import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A replication slot, as the server shows it. Immutable.
 *
 * @param isHere whether it belongs to this database
 * @param activePid the process that reads it, or null
 * @param confirmed up to which place it was acknowledged
 * @param safeBytes how much more WAL may be written before the server gives up the slot; null if it never does
 * @param retainedBytes of WAL that the server keeps for it
 * @param walEnd where the WAL ended at that time
 */
public record SlotState(
        String plugin,
        String database,
        boolean isHere,
        @Nullable Integer activePid,
        String confirmed,
        String walStatus,
        @Nullable Long safeBytes,
        long retainedBytes,
        String walEnd) {
    static SlotState read(ResultSet row) throws SQLException {
        return new SlotState(
                row.getString(1),
                row.getString(2),
                row.getBoolean(3),
                row.getObject(4, Integer.class),
                row.getString(5),
                row.getString(6),
                row.getObject(7, Long.class),
                row.getLong(8),
                row.getString(9));
    }
}
