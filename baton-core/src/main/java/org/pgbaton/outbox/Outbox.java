package org.pgbaton.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.pgbaton.log.Appended;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Log;

/**
 * A log to send from: {@link Log#append} in the words of a sender, for a log that is an outbox.
 *
 * <pre>{@code
 * Outbox outbox = baton.outbox();
 * outbox.send(connection, Draft.json("{\"trade\": 101}").topic("trades").key("portfolio-7"));
 * connection.commit(); // now it is sent
 * }</pre>
 *
 * <p>Guarantee: a message is sent if, and only if, its transaction commits; messages with the same key in the order of their
 * positions, those without a key in any order. A message that could never be published is refused here, with an {@link
 * IllegalArgumentException} that says why, and the transaction can go on; from other clients the database refuses it.
 *
 * <p>Sending the same draft twice sends one message: see {@link Draft}. Thread-safe.
 */
public interface Outbox {
    /** The log behind it, to read. */
    Log log();

    /**
     * Sends in a transaction of its own, committed when this returns: the message is sent, whatever becomes of a transaction
     * that the caller has open.
     *
     * @throws org.pgbaton.database.DatabaseException with the fault IN_TRANSACTION if the pool handed out a connection in a
     *     transaction, which is not Baton's to end
     */
    Appended sendNow(Draft message);

    /** The same with many: all or none, in this order. */
    List<Appended> sendNow(List<Draft> messages);

    /**
     * Sends in the caller's transaction, when that commits.
     *
     * @throws IllegalStateException if the connection is in autocommit mode
     * @throws SQLException if PostgreSQL refuses the row, or the connection is lost
     */
    Appended send(Connection connection, Draft message) throws SQLException;

    /**
     * The same with many, in this order.
     *
     * @throws IllegalStateException if the connection is in autocommit mode
     * @throws SQLException if PostgreSQL refuses a row, or the connection is lost
     */
    List<Appended> send(Connection connection, List<Draft> messages) throws SQLException;
}
