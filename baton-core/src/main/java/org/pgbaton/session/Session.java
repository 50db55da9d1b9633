package org.pgbaton.session;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * A dedicated connection whose life is the life of its locks.
 *
 * <p>Guarantee: while {@link #isTrusted} answers true, the server has not freed the locks for our silence. It
 * frees the locks when the connection ends, and at the latest one {@linkplain Lease lease} after the last statement;
 * trust ends earlier, counted on the monotonic clock from the <em>start</em> of the last round trip that succeeded.
 *
 * <p>Opening: connect; autocommit; settings, set and read back; no replica; no pooler in transaction mode. Each refusal
 * is a {@link DatabaseException} that says what to do.
 *
 * <p>Threading: one thread talks to the server. {@link #isTrusted}, {@link #sinceRoundTrip} and {@link #abort} may be
 * called by any.
 */
public final class Session implements AutoCloseable {
    private static final String TRY_LOCK = "SELECT pg_try_advisory_lock(?)";
    private static final String AWAIT_LOCK = "SELECT ${schema}.await_lock(?, ?)";
    private static final String STATE = "SELECT pg_backend_pid(), pg_is_in_recovery()";

    private final DatabaseAccess database;
    private final Connection connection;
    private final Lease lease;
    private final LongSupplier nanos;
    private final int backend;
    /** Session locks stack: taken twice, they must be freed twice. So nothing is taken twice. */
    private final Set<Long> locks = new HashSet<>();

    private volatile long lastRoundTrip;
    /** Set before the connection goes, so that nobody trusts a lock that is about to be free. */
    private volatile boolean gone;

    private Session(
            DatabaseAccess database, Connection connection, Lease lease, LongSupplier nanos, long start, int backend) {
        this.database = database;
        this.connection = connection;
        this.lease = lease;
        this.nanos = nanos;
        this.lastRoundTrip = start;
        this.backend = backend;
    }

    /** @param purpose shown in {@code application_name} after who we are */
    public static Session open(DatabaseAccess database, Lease lease, LongSupplier nanos, String purpose) {
        try {
            Connection connection = DatabaseAccess.connect(database.dedicated());
            try {
                return opened(database, connection, lease, nanos, purpose);
            } catch (SQLException | RuntimeException failure) {
                closeQuietly(connection);
                throw failure;
            }
        } catch (SQLException failure) {
            throw DatabaseException.of("open a session", failure);
        }
    }

    private static Session opened(
            DatabaseAccess database, Connection connection, Lease lease, LongSupplier nanos, String purpose)
            throws SQLException {
        SomebodysTransaction.refuse("open a session", connection);
        connection.setAutoCommit(true);
        connection.setNetworkTimeout(Runnable::run, millis(lease.answerToStandby()));
        int backend = requirePrimary(connection);
        Pooler.refuseIfBetween(connection, backend, database);
        SessionSettings.apply(connection, lease, "baton " + purpose + " " + database.who());
        long start = nanos.getAsLong();
        if (requirePrimary(connection) != backend) {
            throw Pooler.refusal();
        }
        return new Session(database, connection, lease, nanos, start, backend);
    }

    private static int requirePrimary(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(STATE);
                ResultSet row = statement.executeQuery()) {
            row.next();
            if (row.getBoolean(2)) {
                throw new DatabaseException(
                        Fault.READ_ONLY,
                        "The server is a replica (in recovery), and a lock on a replica protects nothing. Connect to the "
                                + "primary; with several hosts in the URL add targetServerType=primary.");
            }
            return row.getInt(1);
        }
    }

    /** The server's process behind this session, as {@code pg_stat_activity} shows it. */
    public int backend() {
        return backend;
    }

    /** From now on silence is borne for as long as the lease allows; until now it meant: connect again. */
    public void holdOn() {
        try {
            connection.setNetworkTimeout(Runnable::run, millis(lease.answer()));
        } catch (SQLException gone) {
            throw DatabaseException.of("hold on to a session", gone);
        }
    }

    /** Takes the lock if it is free. Idempotent. */
    public boolean tryLock(long key) {
        Failpoint.BEFORE_LOCK.pass();
        return locks.contains(key) || remember(key, query("take a lock", TRY_LOCK, Session::firstBoolean, key));
    }

    /**
     * Waits for the lock for at most the given time, and never longer than a slice. Idempotent. The caller repeats it;
     * between two slices the server's VACUUM gets its chance.
     */
    public boolean awaitLock(long key, Duration atMost) {
        if (locks.contains(key)) {
            return true;
        }
        Duration slice = atMost.compareTo(lease.slice()) < 0 ? atMost : lease.slice();
        int millis = Math.max(1, millis(slice));
        return remember(key, query("wait for a lock", AWAIT_LOCK, Session::firstBoolean, key, millis));
    }

    private boolean remember(long key, boolean taken) {
        if (taken) {
            Failpoint.AFTER_LOCK.pass();
            locks.add(key);
        }
        return taken;
    }

    /** One row to one value. */
    @FunctionalInterface
    public interface Reader<T> {
        T read(ResultSet rows) throws SQLException;
    }

    /**
     * Runs one statement and counts it as a sign of life, both ways: the server's idle time starts anew, and so does our
     * trust. {@code ${schema}} is replaced. Any failure ends the session, since nobody knows what the server did.
     */
    public <T> T query(String doing, String sql, Reader<T> reader, @Nullable Object... parameters) {
        long start = nanos.getAsLong();
        try (PreparedStatement statement =
                connection.prepareStatement(database.schema().in(sql))) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            T result;
            try (ResultSet rows = statement.executeQuery()) {
                result = reader.read(rows);
            }
            lastRoundTrip = start;
            return result;
        } catch (SQLException failure) {
            abort();
            throw DatabaseException.of(doing, failure);
        }
    }

    /** The same for a statement without an answer. */
    public void execute(String doing, String sql) {
        long start = nanos.getAsLong();
        try (Statement statement = connection.createStatement()) {
            statement.execute(database.schema().in(sql));
            lastRoundTrip = start;
        } catch (SQLException failure) {
            abort();
            throw DatabaseException.of(doing, failure);
        }
    }

    /** Waits for a notification, and tells whether one came. Does not count as a sign of life. */
    public boolean awaitNotification(Duration atMost) {
        try {
            PGNotification[] heard =
                    connection.unwrap(PGConnection.class).getNotifications(Math.max(1, millis(atMost)));
            return heard != null && heard.length > 0;
        } catch (SQLException ended) {
            abort();
            throw DatabaseException.of("listen to the database", ended);
        }
    }

    /**
     * Looks, without asking the server anything, whether it has ended the session meanwhile: an administrator, a restart, its own
     * time-outs. Does not count as a sign of life.
     */
    public void listen() {
        try {
            // With a time-out, however short, it reads from the socket, and so also sees a close without a word.
            connection.unwrap(PGConnection.class).getNotifications(1);
        } catch (SQLException ended) {
            abort();
            throw DatabaseException.of("keep the session", ended);
        }
    }

    /** Whether the locks are certainly still ours. */
    public boolean isTrusted() {
        return !gone && sinceRoundTrip().compareTo(lease.trusted()) < 0;
    }

    /** Whether so much time has passed that the holder must act as if the locks were gone. */
    public boolean isAbandoned() {
        return sinceRoundTrip().compareTo(lease.abandoned()) >= 0;
    }

    /** Until trust ends, or, if it has ended, until the locks are given up. Never negative. */
    public Duration untilNextDoubt() {
        Duration since = sinceRoundTrip();
        Duration trust = lease.trusted().minus(since);
        Duration left = trust.isNegative() || trust.isZero() ? lease.abandoned().minus(since) : trust;
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** Until the next sign of life is due. Never negative. */
    public Duration untilHeartbeat() {
        Duration left = lease.heartbeatEvery().minus(sinceRoundTrip());
        return left.isNegative() ? Duration.ZERO : left;
    }

    public Duration sinceRoundTrip() {
        return Duration.ofNanos(nanos.getAsLong() - lastRoundTrip);
    }

    /** Ends the session in good order; the server frees the locks at once. */
    @Override
    public void close() {
        gone = true;
        closeQuietly(connection);
    }

    /** Cuts the connection from any thread, also under a statement that waits. */
    public void abort() {
        gone = true;
        try {
            connection.abort(Runnable::run);
        } catch (SQLException alreadyGone) {
            // That is what we wanted.
        }
    }

    private static void closeQuietly(Connection connection) {
        try {
            connection.close();
        } catch (SQLException alreadyGone) {
            // That is what we wanted.
        }
    }

    private static boolean firstBoolean(ResultSet rows) throws SQLException {
        return rows.next() && rows.getBoolean(1);
    }

    private static int millis(Duration duration) {
        return (int) Math.min(Integer.MAX_VALUE, duration.toMillis());
    }
}
