package org.pgbaton.chaos.device;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.pgbaton.testkit.TestDatabase;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;
import org.postgresql.replication.LogSequenceNumber;
import org.postgresql.replication.PGReplicationStream;

/**
 * Poses as a synchronous standby, and confirms with a delay what it has received. So every commit takes that long, for everybody, and has its place in the WAL
 * meanwhile, as on a slow disk. It throws away what it receives.
 *
 * <p>Thread-safe.
 */
public final class SlowStandby implements AutoCloseable {
    private static final String NAME = "chaos_slow";

    private final TestDatabase database;
    private final Connection connection;
    private final PGReplicationStream stream;
    private final Thread thread = new Thread(this::confirm, "chaos-standby");
    private volatile boolean stopped;
    private volatile long delayNanos;

    private SlowStandby(TestDatabase database) throws SQLException {
        this.database = database;
        String now = database.one("SELECT pg_current_wal_flush_lsn()");
        Properties properties = new Properties();
        PGProperty.REPLICATION.set(properties, "true");
        PGProperty.ASSUME_MIN_SERVER_VERSION.set(properties, "9.4");
        PGProperty.PREFER_QUERY_MODE.set(properties, "simple");
        PGProperty.APPLICATION_NAME.set(properties, NAME);
        this.connection = DriverManager.getConnection(database.url(), properties);
        this.stream = connection
                .unwrap(PGConnection.class)
                .getReplicationAPI()
                .replicationStream()
                .physical()
                .withStartPosition(LogSequenceNumber.valueOf(now))
                .withStatusInterval(10, TimeUnit.SECONDS)
                .start();
    }

    public static SlowStandby start(TestDatabase database, int millis) throws SQLException, InterruptedException {
        SlowStandby standby = new SlowStandby(database);
        standby.confirmAfter(millis);
        standby.thread.setDaemon(true);
        standby.thread.start();
        database.execute("ALTER SYSTEM SET synchronous_standby_names = '" + NAME + "'");
        database.execute("SELECT pg_reload_conf()");
        return standby;
    }

    /** From now on a commit takes about this long. */
    public void confirmAfter(int millis) {
        delayNanos = TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private void confirm() {
        try {
            while (!stopped) {
                while (stream.readPending() != null) {
                    // Thrown away.
                }
                LogSequenceNumber got = stream.getLastReceiveLSN();
                long since = System.nanoTime();
                while (!stopped && System.nanoTime() - since < delayNanos) {
                    LockSupport.parkNanos(5_000_000);
                }
                stream.setFlushedLSN(got);
                stream.setAppliedLSN(got);
                stream.forceUpdateStatus();
                LockSupport.parkNanos(1_000_000);
            }
        } catch (SQLException ended) {
            stopped = true;
        }
    }

    /** Commits that wait for it go on. */
    @Override
    public void close() throws SQLException {
        database.execute("ALTER SYSTEM RESET synchronous_standby_names");
        database.execute("SELECT pg_reload_conf()");
        stopped = true;
        try {
            thread.join();
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
        }
        connection.close();
    }
}
