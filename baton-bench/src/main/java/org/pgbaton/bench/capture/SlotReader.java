package org.pgbaton.bench.capture;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.pgbaton.bench.Options;
import org.pgbaton.pgoutput.Decoder;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;
import org.postgresql.replication.PGReplicationStream;

/**
 * One thread that reads a slot with the driver's stream, hands on each message, and ends after a given number of
 * changes. It acknowledges nothing, so a second run reads the same changes again.
 */
final class SlotReader implements Runnable, LongSupplier {
    /** Takes the messages. */
    interface Taker {
        /** @return whether it is the change of a row */
        boolean take(ByteBuffer message);
    }

    private final Map<String, String> options;
    private final long rows;
    private final Taker taker;
    private final AtomicLong changes = new AtomicLong();

    SlotReader(Map<String, String> options, Taker taker) {
        this.options = options;
        this.rows = Long.parseLong(Options.of(options, "rows"));
        this.taker = taker;
    }

    @Override
    public void run() {
        changes.set(0);
        Thread thread = new Thread(this::read, "reading");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public long getAsLong() {
        return changes.get();
    }

    private void read() {
        Properties properties = new Properties();
        PGProperty.REPLICATION.set(properties, "database");
        PGProperty.ASSUME_MIN_SERVER_VERSION.set(properties, "14");
        PGProperty.PREFER_QUERY_MODE.set(properties, "simple");
        try (Connection connection = DriverManager.getConnection(Options.of(options, "url"), properties)) {
            PGReplicationStream stream = open(connection);
            long count = 0;
            while (count < rows) {
                if (taker.take(stream.read())) {
                    changes.lazySet(++count);
                }
            }
        } catch (SQLException | InterruptedException failed) {
            System.err.println("The stream ends: " + failed);
        }
    }

    private PGReplicationStream open(Connection connection) throws SQLException, InterruptedException {
        try (Statement statement = connection.createStatement()) {
            for (String setting : Decoder.SETTINGS) {
                statement.execute(setting);
            }
        }
        while (true) {
            try {
                return connection
                        .unwrap(PGConnection.class)
                        .getReplicationAPI()
                        .replicationStream()
                        .logical()
                        .withSlotName(Options.of(options, "slot"))
                        .withSlotOption("proto_version", "1")
                        .withSlotOption("publication_names", Wal.PUBLICATION)
                        .withStatusInterval(1, TimeUnit.SECONDS)
                        .withAutomaticFlush(false)
                        .start();
            } catch (SQLException refused) {
                // The server has not noticed yet that the last reader is gone.
                if (!"55006".equals(refused.getSQLState())) {
                    throw refused;
                }
                Thread.sleep(20);
            }
        }
    }
}
