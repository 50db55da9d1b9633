package org.pgbaton.subscription;

import java.sql.Connection;
import org.pgbaton.log.Message;

/**
 * Writes to the same database, in the checkpoint's transaction: applied exactly once. The connection is in a transaction that Baton
 * ends; committing it, rolling it back or changing its settings is refused, and closing it does nothing. Called by several threads at once,
 * never for the same key.
 */
@FunctionalInterface
public interface Projection {
    /**
     * Writes what the message means, on this connection.
     *
     * @throws Exception if it failed; see {@link Verdict} for what that means
     */
    void apply(Message message, Connection connection) throws Exception;
}
