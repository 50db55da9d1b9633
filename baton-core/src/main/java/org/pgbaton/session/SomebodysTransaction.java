package org.pgbaton.session;

import java.sql.Connection;
import java.sql.SQLException;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * Finds out whether a connection that was handed to Baton is in a transaction already: a transaction-aware {@code DataSource}
 * hands out the connection of the caller's own, and a careless pool one that was not rolled back.
 *
 * <p>Guarantee: Baton ends no transaction that it did not begin, and changes nothing of a connection that is in one. The check asks
 * the driver, not the server; it costs no round trip.
 *
 * <p>A connection with autocommit off is not in a transaction for that reason alone: some pools hand them all out so.
 */
final class SomebodysTransaction {
    private SomebodysTransaction() {}

    /** To be called before anything else is done with a connection. */
    static void refuse(String doing, Connection connection) throws SQLException {
        if (isOpenOn(connection)) {
            throw refusal(doing);
        }
    }

    static DatabaseException refusal(String doing) {
        return new DatabaseException(
                Fault.IN_TRANSACTION,
                "Cannot " + doing
                        + ": the connection that Baton got for it is in a transaction that Baton did not begin and must not end. "
                        + "If it is yours, and this should be part of it, pass the connection to the call. Otherwise give Baton "
                        + "a pool whose connections are in no transaction: not a transaction-aware proxy, and no pool that "
                        + "leaves transactions open.");
    }

    private static boolean isOpenOn(Connection connection) throws SQLException {
        BaseConnection driver;
        try {
            driver = connection.unwrap(BaseConnection.class);
        } catch (SQLException | RuntimeException wrappedForGood) {
            return refusesToChange(connection);
        }
        return driver.getTransactionState() != TransactionState.IDLE;
    }

    /** The driver lets nobody say "read only" in the middle of a transaction; saying what is the case changes nothing. */
    private static boolean refusesToChange(Connection connection) throws SQLException {
        try {
            connection.setReadOnly(connection.isReadOnly());
            return false;
        } catch (SQLException refused) {
            if (Fault.of(refused) == Fault.IN_TRANSACTION) {
                return true;
            }
            throw refused;
        }
    }
}
