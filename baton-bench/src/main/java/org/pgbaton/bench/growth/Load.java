package org.pgbaton.bench.growth;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Phaser;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Clients that insert, each row in a transaction of its own: for some time, or until they are stopped. */
final class Load {
    private final List<Thread> threads = new ArrayList<>();
    private final LongAdder written = new LongAdder();
    private final Delayed delayed = new Delayed();
    private final Phaser connected = new Phaser(1);
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /**
     * @param perSecond of all clients together; 0: as fast as they can
     * @return rows, nanoseconds, p50 and p99 of an INSERT in microseconds
     */
    static String run(String url, String log, int clients, double perSecond, double seconds, int payloadBytes, int keys)
            throws Exception {
        Load load = new Load();
        load.begin(url, log, clients, perSecond, payloadBytes, keys);
        load.connected.awaitAdvanceInterruptibly(load.connected.arrive(), 60, TimeUnit.SECONDS);
        long begin = System.nanoTime();
        try {
            Thread.sleep((long) (seconds * 1000));
        } finally {
            load.end();
        }
        long nanos = System.nanoTime() - begin;
        Throwable failed = load.failure.get();
        if (failed != null) {
            throw new IllegalStateException("a writer failed: " + failed, failed);
        }
        return load.written.sum() + "\t" + nanos + "\t" + load.delays();
    }

    String begin(String url, String log, int clients, double perSecond) {
        return begin(url, log, clients, perSecond, LongLog.PAYLOAD_BYTES, LongLog.KEYS);
    }

    private String begin(String url, String log, int clients, double perSecond, int payloadBytes, int keys) {
        for (int client = 0; client < clients; client++) {
            Thread thread =
                    new Thread(() -> write(url, log, perSecond / clients, payloadBytes, keys), "load-" + client);
            thread.setDaemon(true);
            threads.add(thread);
            connected.register();
            thread.start();
        }
        return "";
    }

    /** @return p50 and p99 in microseconds since the last call, and how many */
    String delays() {
        return delayed.take();
    }

    String end() throws InterruptedException {
        threads.forEach(Thread::interrupt);
        for (Thread thread : threads) {
            thread.join(10_000);
        }
        threads.clear();
        return Long.toString(written.sum());
    }

    private void write(String url, String log, double perSecond, int payloadBytes, int keys) {
        try (Connection connection = DriverManager.getConnection(url + "&prepareThreshold=1&ApplicationName=load");
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO baton." + log + " (key, type, payload) VALUES (?, 'happened', ?::json)")) {
            connected.arrive();
            long next = System.nanoTime();
            while (!Thread.currentThread().isInterrupted()) {
                if (perSecond > 0) {
                    next += (long) (1e9 / perSecond);
                    LockSupport.parkNanos(next - System.nanoTime());
                }
                insert.setString(1, "key-" + ThreadLocalRandom.current().nextInt(keys));
                long begin = System.nanoTime();
                insert.setString(2, Delayed.payload(begin, payloadBytes));
                insert.executeUpdate();
                delayed.add((System.nanoTime() - begin) / 1000);
                written.increment();
            }
        } catch (Exception failed) {
            if (!Thread.currentThread().isInterrupted()) {
                failure.compareAndSet(null, failed);
                connected.forceTermination();
                System.err.println("A writer ends: " + failed);
            }
        }
    }
}
