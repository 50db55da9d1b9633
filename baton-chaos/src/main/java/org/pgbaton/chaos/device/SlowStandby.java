package org.pgbaton.chaos;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;
import org.postgresql.replication.LogSequenceNumber;
import org.postgresql.replication.PGReplicationStream;

/**
 * Says to PostgreSQL that it is a synchronous standby, and that it has written what it got a while ago. So every commit takes that long, for everybody, and
 * has a place in the WAL meanwhile, as on a disk that is slow to write. It keeps nothing of what it gets.
 *
 * <p>Thread-safe.
 */
final class SlowStandby implements AutoCloseable {
    private static final String NAME = "chaos_slow";

    private final World world;
    private final Connection connection;
    private final PGReplicationStream stream;
    private final Thread thread = new Thread(this::confirm, "chaos-standby");
    private volatile boolean stopped;
    private volatile long delayNanos;

    private SlowStandby(World world) throws SQLException {
        this.world = world;
        String now = world.database().one("SELECT pg_current_wal_flush_lsn()");
        Properties properties = new Properties();
        PGProperty.REPLICATION.set(properties, "true");
        PGProperty.ASSUME_MIN_SERVER_VERSION.set(properties, "9.4");
        PGProperty.PREFER_QUERY_MODE.set(properties, "simple");
        PGProperty.APPLICATION_NAME.set(properties, NAME);
        this.connection = DriverManager.getConnection(world.database().url(), properties);
        this.stream = connection
                .unwrap(PGConnection.class)
                .getReplicationAPI()
                .replicationStream()
                .physical()
                .withStartPosition(LogSequenceNumber.valueOf(now))
                .withStatusInterval(10, TimeUnit.SECONDS)
                .start();
    }

    static SlowStandby start(World world, int millis) throws SQLException, InterruptedException {
        SlowStandby standby = new SlowStandby(world);
        standby.confirmAfter(millis);
        standby.thread.setDaemon(true);
        standby.thread.start();
        world.database().execute("ALTER SYSTEM SET synchronous_standby_names = '" + NAME + "'");
        world.database().execute("SELECT pg_reload_conf()");
        return standby;
    }

    /** From now on a commit takes about so long. */
    void confirmAfter(int millis) {
        delayNanos = TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private void confirm() {
        try {
            while (!stopped) {
                while (stream.readPending() != null) {
                    // Nobody wants to have it.
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

    /** Whoever waits for it goes on. */
    @Override
    public void close() throws SQLException {
        world.database().execute("ALTER SYSTEM RESET synchronous_standby_names");
        world.database().execute("SELECT pg_reload_conf()");
        stopped = true;
        try {
            thread.join();
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
        }
        connection.close();
    }
}
