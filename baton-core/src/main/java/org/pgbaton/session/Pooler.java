package org.pgbaton.session;

import java.sql.Connection;
import java.sql.SQLException;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.postgresql.PGConnection;

/**
 * Finds a pooler in transaction or statement mode, which would take the session, and its locks with it, away after
 * every statement. Protocol:
 *
 * <ol>
 *   <li>The process id that came with the connection is the one the backend reports itself: nobody is in between.
 *   <li>Otherwise open a second connection while the first is idle. A pooler that hands backends out per transaction
 *       serves the second with the first one's backend, or the first with another one now. In session mode both keep
 *       their own, and that is fine for Baton.
 * </ol>
 *
 * A lone client would always see the same backend; that is why it takes two.
 */
final class Pooler {
    static final String ADVICE =
            "a pooler in transaction mode (PgBouncer, RDS Proxy, pgcat, Supavisor …) stands between "
                    + "Baton and PostgreSQL, and locks would be lost after every statement. Give Baton's dedicated connections the "
                    + "direct address of PostgreSQL ('baton': --direct-url; in Java: a connector), or the pooler's session mode; ordinary "
                    + "work may stay on the pooler, with prepareThreshold=0 in its URL.";

    /** Other clients of the pooler may be served in between so that both seem to keep their own for a while. */
    private static final int ROUNDS = 20;

    private Pooler() {}

    static void refuseIfBetween(Connection session, int backend, DatabaseAccess database) throws SQLException {
        if (session.unwrap(PGConnection.class).getBackendPID() == backend) {
            return;
        }
        try (Connection other = DatabaseAccess.connect(database.dedicated())) {
            SomebodysTransaction.refuse("look for a pooler", other);
            other.setNetworkTimeout(Runnable::run, session.getNetworkTimeout());
            int others = backendOf(other);
            for (int round = 0; round < ROUNDS; round++) {
                if (others == backend || backendOf(session) != backend || backendOf(other) != others) {
                    throw refusal();
                }
            }
        }
    }

    static DatabaseException refusal() {
        return new DatabaseException(
                Fault.UNSUITABLE, "This connection changes its backend between statements: " + ADVICE);
    }

    private static int backendOf(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery("SELECT pg_backend_pid()")) {
            row.next();
            return row.getInt(1);
        }
    }
}
