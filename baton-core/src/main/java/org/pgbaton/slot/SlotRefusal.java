package org.pgbaton.slot;

import java.sql.SQLException;
import org.pgbaton.capture.CaptureException;
import org.pgbaton.database.BatonException;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.publication.CapturePlan;

/** Explains why the server does not let us read a slot, and what to do. */
public final class SlotRefusal {
    private SlotRefusal() {}

    /** Whether somebody else reads the slot now. */
    public static boolean isInUse(SQLException refused) {
        return "55006".equals(refused.getSQLState());
    }

    public static BatonException of(CapturePlan plan, SQLException refused) {
        String state = String.valueOf(refused.getSQLState());
        return switch (state) {
            case "42501", "28000" ->
                new CaptureException(
                        plan.heading() + "this role may not replicate (" + refused.getMessage()
                                + "). ALTER ROLE … REPLICATION, and let pg_hba.conf admit it.",
                        refused);
            case "53300" ->
                new CaptureException(
                        plan.heading() + "all WAL senders of the server are taken (" + refused.getMessage()
                                + "). Raise max_wal_senders and restart it.",
                        refused);
            case "55000" ->
                new CaptureException(
                        plan.heading() + "the server cannot read the slot '" + plan.slot() + "' any more ("
                                + refused.getMessage() + "). " + plan.adviceToStartAgain(),
                        refused);
            default -> DatabaseException.of("read the slot '" + plan.slot() + "'", refused);
        };
    }
}
