package org.pgbaton.bench.log;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.bench.arena.Rows;
import org.pgbaton.subscription.Subscription;

/**
 * Baton as a contestant: writers that append to streams, with the stream's version as peers do, and one subscription with its
 * defaults that handles what they appended, message by message.
 */
final class Contest {
    private static final int STREAMS_PER_WRITER = 100;
    private static final int STREAM_LENGTH = 100;
    private static final String INSERT =
            "INSERT INTO baton.events (key, version, type, payload) VALUES (?, ?, 'happened', ?::json)";

    private final String url;
    private final Baton baton;
    private final AtomicLong handled = new AtomicLong();
    private final AtomicLong lastHandled = new AtomicLong();
    private volatile int counted = 1;
    private volatile long countedSince;
    private final List<Connection> connections = new ArrayList<>();
    private @Nullable Subscription subscription;
    private int runs;

    Contest(String url) {
        this.url = url;
        this.baton = Baton.open(url);
    }

    /** It ends with the process. */
    private void subscribe() {
        if (subscription == null) {
            subscription = baton.subscription("bench")
                    .on("events")
                    .react((message, delivery) -> {
                        long now = System.nanoTime();
                        lastHandled.lazySet(now);
                        if (handled.incrementAndGet() == counted) {
                            countedSince = now;
                        }
                    })
                    .start();
        }
    }

    /**
     * The subscription starts when everything is appended.
     *
     * @return messages handled, nanoseconds until all were appended, and for those handled; the first fifth does not count
     */
    String backlog(int events, int seconds) throws InterruptedException, SQLException {
        counted = events / 5;
        long begin = System.nanoTime();
        try (Connection connection = DriverManager.getConnection(url + "&prepareThreshold=1");
                PreparedStatement insert = connection.prepareStatement(INSERT)) {
            connection.setAutoCommit(false);
            for (int stream = 0; stream < events / STREAM_LENGTH; stream++) {
                for (int i = 0; i < STREAM_LENGTH; i++) {
                    insert.setString(1, "backlog-" + stream);
                    insert.setLong(2, i + 1);
                    insert.setString(3, Rows.PAYLOAD);
                    insert.addBatch();
                }
                insert.executeBatch();
                connection.commit();
            }
        }
        long appended = System.nanoTime() - begin;
        subscribe();
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        while (handled.get() < events && System.nanoTime() < end) {
            Thread.sleep(1);
        }
        if (handled.get() <= counted) {
            return handled.get() + "\t" + appended + "\t" + seconds * 1_000_000_000L;
        }
        return (handled.get() - counted) + "\t" + appended + "\t" + (lastHandled.get() - countedSince);
    }

    /** @return messages handled, nanoseconds until all were appended (-1: not in time), and until all were handled */
    String run(int events, int writers, int seconds) throws InterruptedException, SQLException {
        int run = ++runs;
        subscribe();
        while (connections.size() < writers) {
            connections.add(DriverManager.getConnection(url + "&prepareThreshold=1"));
        }
        long before = handled.get();
        CountDownLatch done = new CountDownLatch(writers);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        long begin = System.nanoTime();
        for (int writer = 0; writer < writers; writer++) {
            int mine = events / writers + (writer < events % writers ? 1 : 0);
            String prefix = run + "-" + writer + "-";
            Connection connection = connections.get(writer);
            Thread thread = new Thread(() -> {
                try {
                    append(connection, prefix, mine);
                } catch (Throwable failed) {
                    failure.compareAndSet(null, failed);
                } finally {
                    done.countDown();
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        boolean appended = done.await(seconds, TimeUnit.SECONDS);
        Throwable failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("a writer failed: " + failed, failed);
        }
        long appendedAt = System.nanoTime();
        long end = begin + seconds * 1_000_000_000L;
        while (handled.get() - before < events && System.nanoTime() < end) {
            Thread.sleep(1);
        }
        long all = handled.get() - before >= events ? lastHandled.get() : System.nanoTime();
        return (handled.get() - before) + "\t" + (appended ? appendedAt - begin : -1) + "\t" + (all - begin);
    }

    private static void append(Connection connection, String prefix, int events) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            for (int i = 0; i < events; i++) {
                insert.setString(1, prefix + i % STREAMS_PER_WRITER);
                insert.setLong(2, i / STREAMS_PER_WRITER + 1);
                insert.setString(3, Rows.PAYLOAD);
                insert.executeUpdate();
            }
        }
    }
}
