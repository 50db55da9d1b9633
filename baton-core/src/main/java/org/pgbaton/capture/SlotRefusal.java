package org.pgbaton.capture;

import java.sql.SQLException;
import org.pgbaton.database.BatonException;
import org.pgbaton.database.DatabaseException;

/** Why the server does not let us read a slot, in words that say what to do. */
final class SlotRefusal {
    private SlotRefusal() {}

    static BatonException of(Plan plan, SQLException refused) {
        String start = "Capture '" + plan.name() + "': ";
        String state = String.valueOf(refused.getSQLState());
        return switch (state) {
            case "42501", "28000" ->
                new CaptureException(
                        start + "this role may not replicate (" + refused.getMessage()
                                + "). ALTER ROLE … REPLICATION, and let pg_hba.conf admit it.",
                        refused);
            case "53300" ->
                new CaptureException(
                        start + "all WAL senders of the server are taken (" + refused.getMessage()
                                + "). Raise max_wal_senders and restart it.",
                        refused);
            case "55000" ->
                new CaptureException(
                        start + "the server cannot read the slot '" + plan.slot() + "' any more ("
                                + refused.getMessage()
                                + "). Run 'baton captures drop " + plan.name()
                                + "', which keeps the log, and start it again, with the rows that are there if the gap matters.",
                        refused);
            default -> DatabaseException.of("read the slot '" + plan.slot() + "'", refused);
        };
    }
}
