package org.pgbaton.table;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.pgbaton.log.Appended;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Log;
import org.pgbaton.log.LogException;
import org.pgbaton.outbox.Outbox;

/** An outbox that appends to its log. Thread-safe. */
public final class LogOutbox implements Outbox {
    private final Log log;

    /** @throws LogException if the log is not an outbox */
    public LogOutbox(Log log) {
        if (!log.isOutbox()) {
            throw new LogException("The log '" + log.name() + "' is no outbox: append to it with baton.log(\""
                    + log.name() + "\"), or create an outbox with 'baton logs create NAME --outbox'.");
        }
        this.log = log;
    }

    @Override
    public Log log() {
        return log;
    }

    @Override
    public Appended sendNow(Draft message) {
        return log.append(message);
    }

    @Override
    public List<Appended> sendNow(List<Draft> messages) {
        return log.append(messages);
    }

    @Override
    public Appended send(Connection connection, Draft message) throws SQLException {
        return log.append(connection, message);
    }

    @Override
    public List<Appended> send(Connection connection, List<Draft> messages) throws SQLException {
        return log.append(connection, messages);
    }

    @Override
    public String toString() {
        return "outbox '" + log.name() + "'";
    }
}
