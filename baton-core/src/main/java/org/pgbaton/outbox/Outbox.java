package org.pgbaton.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.pgbaton.log.Appended;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Log;
import org.pgbaton.log.LogException;

/**
 * A log to send from: {@link Log#append} in the words of a sender, for a log that is an outbox.
 *
 * <pre>{@code
 * baton.outbox().send(connection, Draft.json("{\"trade\": 101}").topic("trades").key("portfolio-7"));
 * }</pre>
 *
 * <p>Guarantee: a message is sent if, and only if, its transaction commits; messages with the same key in the order of their
 * positions, those without a key in any order. A message that could never be published is refused here, with an {@link
 * IllegalArgumentException} that says why, and the transaction can go on; from other clients the database refuses it.
 *
 * <p>Sending the same draft twice sends one message: see {@link Draft}. Thread-safe.
 */
public final class Outbox {
    private final Log log;

    /**
     * Not API: see {@code Baton.outbox()}.
     *
     * @throws LogException if the log is not an outbox
     */
    public Outbox(Log log) {
        if (!log.isOutbox()) {
            throw new LogException("The log '" + log.name() + "' is no outbox: append to it with baton.log(\""
                    + log.name() + "\"), or create an outbox with 'baton logs create NAME --outbox'.");
        }
        this.log = log;
    }

    /** The log behind it, to read. */
    public Log log() {
        return log;
    }

    /**
     * In a transaction of its own, committed when this returns: sent, whatever becomes of a transaction that the caller has open.
     *
     * @throws org.pgbaton.database.DatabaseException with the fault IN_TRANSACTION if the pool handed out a connection in a
     *     transaction, which is not Baton's to end
     */
    public Appended sendNow(Draft message) {
        return log.append(message);
    }

    /** The same with many: all or none, in this order. */
    public List<Appended> sendNow(List<Draft> messages) {
        return log.append(messages);
    }

    /**
     * In the caller's transaction: sent when that commits.
     *
     * @throws IllegalStateException if the connection is in autocommit mode
     */
    public Appended send(Connection connection, Draft message) throws SQLException {
        return log.append(connection, message);
    }

    /** The same with many, in this order. */
    public List<Appended> send(Connection connection, List<Draft> messages) throws SQLException {
        return log.append(connection, messages);
    }

    @Override
    public String toString() {
        return "outbox '" + log.name() + "'";
    }
}
