package org.pgbaton.bench.log;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/** Clients that insert as fast as they can, each row in a transaction of its own. */
final class Writers {
    private Writers() {}

    /**
     * @param sql with two parameters, the key and the payload
     * @return rows and nanoseconds, without the warm-up
     */
    static String run(String url, String sql, int clients, double warmSeconds, double seconds) throws Exception {
        LongAdder written = new LongAdder();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int client = 0; client < clients; client++) {
            Thread thread = new Thread(() -> write(url, sql, written, failure), "writer-" + client);
            threads.add(thread);
            thread.start();
        }
        try {
            while (written.sum() < clients && failure.get() == null) {
                Thread.sleep(1);
            }
            Thread.sleep((long) (warmSeconds * 1000));
            long before = written.sum();
            long begin = System.nanoTime();
            Thread.sleep((long) (seconds * 1000));
            long rows = written.sum() - before;
            long nanos = System.nanoTime() - begin;
            if (failure.get() != null) {
                throw new IllegalStateException("a writer failed: " + failure.get(), failure.get());
            }
            return rows + "\t" + nanos;
        } finally {
            threads.forEach(Thread::interrupt);
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    private static void write(String url, String sql, LongAdder written, AtomicReference<Throwable> failure) {
        try (Connection connection = DriverManager.getConnection(url + "&prepareThreshold=1&ApplicationName=writer");
                PreparedStatement insert = connection.prepareStatement(sql)) {
            while (!Thread.currentThread().isInterrupted()) {
                insert.setString(1, "key-" + ThreadLocalRandom.current().nextInt(Rows.KEYS));
                insert.setString(2, Rows.PAYLOAD);
                insert.executeUpdate();
                written.increment();
            }
        } catch (Throwable failed) {
            failure.compareAndSet(null, failed);
        }
    }
}
