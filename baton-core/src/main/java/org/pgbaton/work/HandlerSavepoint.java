package org.pgbaton.work;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.handling.FailureVerdicts;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.handling.UnitFailed;
import org.pgbaton.log.Message;

/**
 * A savepoint before one unit of a projection, so that what the handler wrote for the unit can be undone alone; unless the application's
 * transactions have none, and the whole of one is to be rolled back. Belongs to the transaction's thread.
 */
public final class HandlerSavepoint {
    private final WorkContext work;
    private final List<Message> unit;
    private final Connection connection;
    private final @Nullable Savepoint savepoint;
    private final int callbacks;

    public HandlerSavepoint(WorkContext work, List<Message> unit, Connection connection) throws SQLException {
        this.work = work;
        this.unit = unit;
        this.connection = connection;
        this.savepoint = work.transactions().ofHandler().hasSavepoints() ? connection.setSavepoint() : null;
        this.callbacks = work.transactions().ofHandler().callbacks();
    }

    /**
     * The handler has returned.
     *
     * @throws UnitFailed if what it wrote violates a deferred constraint, or if it swallowed an SQL error
     */
    public void keep() throws SQLException {
        check();
        if (savepoint == null) {
            return;
        }
        try {
            inTheSameTransaction(() -> connection.releaseSavepoint(savepoint));
        } catch (SQLException failed) {
            throw UnitFailed.ifLeftFailed(unit, failed);
        }
    }

    private void check() throws SQLException {
        SubscriptionOptions options = work.options();
        try {
            work.sql().checkDeferred(connection);
        } catch (SQLException failed) {
            UnitFailed.ifLeftFailed(unit, failed);
            if (!FailureVerdicts.mayBeAMessages(failed)) {
                throw failed;
            }
            throw UnitFailed.of(unit, failed, options);
        }
    }

    /**
     * Undoes what the handler wrote for the unit.
     *
     * @throws UnitFailed that failure, if the whole transaction is to be rolled back for it
     */
    public void undo(UnitFailed failed) throws SQLException {
        if (savepoint == null || work.transactions().ofHandler().callbacks() != callbacks) {
            throw failed; // a callback of the unit would be called as if it had been handled
        }
        inTheSameTransaction(() -> connection.rollback(savepoint));
    }

    @FunctionalInterface
    private interface Ending {
        void run() throws SQLException;
    }

    /** @throws DatabaseException if the handler has ended the transaction in which the savepoint was */
    private static void inTheSameTransaction(Ending ending) throws SQLException {
        try {
            ending.run();
        } catch (SQLException gone) {
            if (Fault.of(gone) == Fault.UNSUITABLE) {
                throw new DatabaseException(
                        Fault.UNSUITABLE,
                        "The handler ended the transaction it was given: its writes and the checkpoint commit together, "
                                + "and Baton does that.");
            }
            throw gone;
        }
    }
}
