package org.pgbaton.session;

import java.sql.Connection;
import java.sql.SQLException;
import org.pgbaton.database.Connector;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.SchemaName;

/**
 * The two ways to reach one database: ordinary connections for short work, from the application's pool if it has one,
 * and dedicated ones for sessions. Thread-safe.
 *
 * @param who this process's part, as others see it: in the tables, in {@code application_name}, in their logs
 */
public record Database(Connector ordinary, Connector dedicated, SchemaName schema, String who) {

    /** Work on one ordinary connection. */
    @FunctionalInterface
    public interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    /** Runs the work on an ordinary connection as one transaction of its own. */
    public <T> T call(String doing, Work<T> work) {
        try (Connection connection = ordinary.connect()) {
            boolean own = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                T result = work.on(connection);
                connection.commit();
                return result;
            } catch (SQLException | RuntimeException failure) {
                connection.rollback();
                throw failure;
            } finally {
                if (!connection.isClosed()) {
                    connection.setAutoCommit(own);
                }
            }
        } catch (SQLException failure) {
            throw DatabaseException.of(doing, failure);
        }
    }
}
