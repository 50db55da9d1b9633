package org.pgbaton.database;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Opens a new connection of its own, straight to the primary: not from a pool, not through a pooler in transaction
 * mode. Asked anew for every connection, so this is where short-lived credentials (IAM tokens, rotated passwords) are
 * fetched. Called from several threads.
 */
@FunctionalInterface
public interface Connector {
    /**
     * Opens a new connection, which the caller closes.
     *
     * @throws SQLException if the server cannot be reached, or refuses the login
     */
    Connection connect() throws SQLException;
}
