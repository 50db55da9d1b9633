package org.pgbaton.session;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.Connector;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.SchemaName;

/**
 * The two ways to reach one database: ordinary connections for short work, from the application's pool if it has one,
 * and dedicated ones for sessions; and, for captures, one that speaks the replication protocol. Thread-safe.
 *
 * <p>An ordinary connection that is in a transaction when it is handed out is refused and left as it is: see {@link
 * SomebodysTransaction}.
 *
 * @param replication null if nobody said how to replicate
 * @param who this process's part, as others see it: in the tables, in {@code application_name}, in their logs
 * @param habit what is known of the ordinary connections
 */
public record DatabaseAccess(
        Connector ordinary,
        Connector dedicated,
        @Nullable Connector replication,
        SchemaName schema,
        String who,
        PoolHabit habit) {

    public DatabaseAccess(
            Connector ordinary, Connector dedicated, @Nullable Connector replication, SchemaName schema, String who) {
        this(ordinary, dedicated, replication, schema, who, new PoolHabit());
    }

    /** The same in the name of somebody else. */
    public DatabaseAccess as(String somebody) {
        if (somebody.isBlank() || somebody.length() > 100) {
            throw new IllegalArgumentException("'" + somebody.substring(0, Math.min(40, somebody.length()))
                    + "' cannot name somebody: give 1 to 100 characters.");
        }
        return new DatabaseAccess(ordinary, dedicated, replication, schema, somebody, habit);
    }

    /** Work on one ordinary connection. */
    @FunctionalInterface
    public interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    /**
     * A connector is the application's code, and may fail in ways of its own: a secret that cannot be fetched right now. That is
     * an outage like any other.
     */
    static Connection connect(Connector connector) throws SQLException {
        try {
            return connector.connect();
        } catch (RuntimeException theirs) {
            throw new SQLException("the connector failed (" + theirs.getMessage() + ")", "08001", theirs);
        }
    }

    /**
     * An older snapshot would not see what the holder of a lock committed while we waited for it. Said inside the transaction:
     * JDBC's own method changes the session, which behind a pooler is somebody else's next.
     */
    private static final String READ_COMMITTED = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

    /** An operator that somebody put into a schema of the user's search_path may fit our operands better than PostgreSQL's own. */
    private static final String OUR_PATH = READ_COMMITTED + "; " + TheirPath.OURS;

    private static void begin(Connection connection, boolean ours) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(ours ? OUR_PATH : READ_COMMITTED);
        }
    }

    private Connection ordinaryConnection() {
        try {
            return connect(ordinary);
        } catch (SQLException failure) {
            throw DatabaseException.of("connect to the database", failure);
        }
    }

    /** Whose names a transaction's statements use. */
    public enum Names {
        /** Names without a schema are PostgreSQL's: for statements of ours alone. */
        OURS,
        /** The search_path of the user: for work in which the application's code has a part, or names that it gave. */
        THEIRS
    }

    /** What is done in a transaction. */
    @FunctionalInterface
    public interface Action<X extends Exception> {
        void on(Connection connection) throws SQLException, X;
    }

    /**
     * Runs the work on an ordinary connection as one transaction of its own, in which names without a schema are PostgreSQL's.
     *
     * @throws DatabaseException with {@link org.pgbaton.database.Fault#IN_TRANSACTION} if the connection is in a transaction of
     *     somebody else
     */
    public <T extends @Nullable Object> T call(String doing, Work<T> work) {
        return call(doing, work, Names.OURS, false);
    }

    /** The same, but the connection is given up if a statement has no answer within that time. */
    public <T extends @Nullable Object> T call(String doing, Duration answer, Work<T> work) {
        List<T> result = new ArrayList<>(1);
        run(doing, Names.OURS, false, answer, connection -> result.add(work.on(connection)));
        return result.get(0);
    }

    /** The same with the search_path of the user. */
    public <T extends @Nullable Object> T callWithThem(String doing, Work<T> work) {
        return call(doing, work, Names.THEIRS, false);
    }

    /**
     * The same for what a caller may take for a part of his own transaction: refuses also a connection that is set up for a
     * transaction which has not begun yet.
     */
    public <T extends @Nullable Object> T callApart(String doing, Work<T> work) {
        return call(doing, work, Names.THEIRS, true);
    }

    private <T extends @Nullable Object> T call(String doing, Work<T> work, Names names, boolean apart) {
        List<T> result = new ArrayList<>(1);
        run(doing, names, apart, null, connection -> result.add(work.on(connection)));
        return result.get(0);
    }

    /**
     * Runs the action on an ordinary connection as one transaction of its own. What it throws is passed on; an {@link SQLException} becomes
     * a {@link DatabaseException}.
     *
     * @param apart refuses also a connection that is set up for a transaction which has not begun yet
     * @param answer how long to wait for each answer of the server; null: as long as the connection waits by itself
     */
    public <X extends Exception> void run(
            String doing, Names names, boolean apart, @Nullable Duration answer, Action<X> action) throws X {
        try (Connection connection = ordinaryConnection()) {
            SomebodysTransaction.refuse(doing, connection);
            boolean own = connection.getAutoCommit();
            if (habit.isUnusual(own) && apart) {
                throw SomebodysTransaction.refusal(doing);
            }
            int usual = answer == null ? 0 : connection.getNetworkTimeout();
            if (answer != null) {
                connection.setNetworkTimeout(Runnable::run, Math.toIntExact(answer.toMillis()));
            }
            boolean done = false;
            connection.setAutoCommit(false);
            try {
                begin(connection, names == Names.OURS);
                action.on(connection);
                Failpoint.BEFORE_COMMIT.pass();
                connection.commit();
                Failpoint.AFTER_COMMIT.pass();
                done = true;
            } finally {
                // Also after an Error: switching autocommit on would commit what was written.
                if (!done) {
                    rollback(connection);
                }
                if (!connection.isClosed()) {
                    connection.setAutoCommit(own);
                    if (answer != null) {
                        connection.setNetworkTimeout(Runnable::run, usual);
                    }
                }
            }
        } catch (SQLException failure) {
            throw DatabaseException.of(doing, failure);
        }
    }

    /** Runs statements that go to the server together, and are one transaction by that; one round trip. */
    public <T> T ask(String doing, Work<T> work) {
        try (Connection connection = ordinaryConnection()) {
            SomebodysTransaction.refuse(doing, connection);
            boolean own = connection.getAutoCommit();
            connection.setAutoCommit(true);
            try {
                return work.on(connection);
            } finally {
                if (!own && !connection.isClosed()) {
                    connection.setAutoCommit(false);
                }
            }
        } catch (SQLException failure) {
            throw DatabaseException.of(doing, failure);
        }
    }

    private static void rollback(Connection connection) throws SQLException {
        try {
            connection.rollback();
        } catch (SQLException unclear) {
            connection.abort(Runnable::run);
        }
    }
}
