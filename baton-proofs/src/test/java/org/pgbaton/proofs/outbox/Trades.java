package org.pgbaton.proofs.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.pgbaton.testkit.TestDatabase;

/**
 * Several writers of the same portfolios, whose transactions overlap: some take their time between their rows and their commit, some roll
 * back, so that of two trades of one portfolio the later position is often committed first.
 */
final class Trades implements AutoCloseable {
    static final int PORTFOLIOS = 200;

    private static final String INSERT =
            "INSERT INTO baton.outbox (topic, key, payload, headers) VALUES (?, ?, ?::json, '{\"source\": \"trades\"}')";

    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger written = new AtomicInteger();
    private final AtomicReference<Exception> failure = new AtomicReference<>();

    private final int portfolios;

    private Trades(int portfolios) {
        this.portfolios = portfolios;
    }

    static Trades start(TestDatabase database, String topic, int number, long seed) {
        return start(database, topic, PORTFOLIOS, number, seed);
    }

    static Trades start(TestDatabase database, String topic, int portfolios, int number, long seed) {
        Trades trades = new Trades(portfolios);
        for (int i = 0; i < 6; i++) {
            Random random = new Random(seed + i);
            Thread thread = new Thread(() -> trades.write(database, topic, number, random), "trader-" + i);
            trades.threads.add(thread);
            thread.start();
        }
        return trades;
    }

    private void write(TestDatabase database, String topic, int number, Random random) {
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            while (written.get() < number) {
                int rows = 1 + random.nextInt(40);
                insert(connection, topic, rows, random);
                if (random.nextInt(20) == 0) {
                    Thread.sleep(random.nextInt(20));
                }
                if (random.nextInt(30) == 0) {
                    connection.rollback();
                } else {
                    connection.commit();
                    written.addAndGet(rows);
                }
            }
        } catch (SQLException | InterruptedException failed) {
            failure.compareAndSet(null, failed);
        }
    }

    private void insert(Connection connection, String topic, int rows, Random random) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            for (int i = 0; i < rows; i++) {
                insert.setString(1, topic);
                insert.setString(2, "P" + random.nextInt(portfolios));
                insert.setString(3, "{\"quantity\": " + random.nextInt(1000) + "}");
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    int written() {
        return written.get();
    }

    boolean isWriting() {
        return threads.stream().anyMatch(Thread::isAlive);
    }

    /** Waits until all writers have ended. */
    @Override
    public void close() {
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
        }
        if (failure.get() != null) {
            throw new IllegalStateException(failure.get());
        }
    }
}
