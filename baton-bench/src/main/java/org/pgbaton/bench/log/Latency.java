package org.pgbaton.bench.log;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.pgbaton.Baton;
import org.pgbaton.bench.arena.Rows;
import org.pgbaton.subscription.Start;
import org.pgbaton.subscription.Subscription;

/** From a writer to the handler, both in this JVM, with everything by default. */
final class Latency {
    private static final int WARM_RATE = 300;
    private static final int WARM_ROWS = 900;

    private final String url;
    private final int rows;
    private final long[] begun;
    private final long[] committed;
    private final AtomicLongArray handled;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    private Latency(String url, int rows) {
        this.url = url;
        this.rows = rows;
        this.begun = new long[rows];
        this.committed = new long[rows];
        this.handled = new AtomicLongArray(rows);
    }

    /**
     * @return samples, missing ones, then in microseconds p50, p99 and the worst from commit, the same from insert, and the same of the
     *     insert alone
     */
    static String measure(String url, int perSecond, int seconds) throws Exception {
        return new Latency(url, WARM_ROWS + perSecond * seconds).run(perSecond);
    }

    private String run(int perSecond) throws Exception {
        try (Baton baton = Baton.open(url);
                Subscription subscription = baton.subscription("latency-" + System.nanoTime())
                        .on("events")
                        .from(Start.now())
                        .react((message, delivery) -> {
                            long now = System.nanoTime();
                            handled.compareAndSet(numberIn(message.text()), 0, now);
                        })
                        .start()) {
            Membership.awaitLanes(subscription, Rows.LANES);
            write(0, WARM_ROWS, WARM_RATE);
            awaitSilence(baton);
            write(WARM_ROWS, rows, perSecond);
            long patience = System.nanoTime() + 10_000_000_000L;
            while (missing() > 0 && System.nanoTime() < patience) {
                Thread.sleep(5);
            }
            Throwable failed = failure.get();
            if (failed != null) {
                throw new IllegalStateException("a writer failed: " + failed, failed);
            }
            return (rows - WARM_ROWS) + "\t" + missing() + "\t" + percentiles(committed) + "\t" + percentiles(begun)
                    + "\t" + ownPercentiles();
        }
    }

    /** An idle hub looks once a second; a hub that is awake looks much more often. */
    private static void awaitSilence(Baton baton) throws InterruptedException {
        long looks = baton.hubStats().looks();
        Thread.sleep(500);
        while (baton.hubStats().looks() > looks + 1) {
            looks = baton.hubStats().looks();
            Thread.sleep(500);
        }
    }

    private static int numberIn(String payload) {
        return Integer.parseInt(payload.substring(payload.indexOf(':') + 1, payload.indexOf('}')));
    }

    private void write(int from, int to, int perSecond) throws InterruptedException {
        int clients = perSecond <= 100 ? 1 : Math.min(16, perSecond / 100);
        AtomicLong begin = new AtomicLong();
        CountDownLatch connected = new CountDownLatch(clients);
        CountDownLatch started = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int client = 0; client < clients; client++) {
            int first = from + client;
            Thread thread = new Thread(
                    () -> {
                        try (Connection connection = DriverManager.getConnection(url + "&prepareThreshold=1")) {
                            connection.createStatement().execute("SELECT 1");
                            connected.countDown();
                            started.await();
                            write(connection, first, to, clients, from, begin.get(), perSecond);
                        } catch (Exception failed) {
                            failure.compareAndSet(null, failed);
                            connected.countDown();
                        }
                    },
                    "writer-" + client);
            threads.add(thread);
            thread.start();
        }
        connected.await(); // new backends cost more than rows
        begin.set(System.nanoTime() + 10_000_000);
        started.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void write(Connection connection, int first, int to, int step, int from, long begin, int perSecond)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO baton.events (key, type, payload) VALUES (?, 'happened', ?::json)")) {
            for (int i = first; i < to; i += step) {
                // Slightly uneven, so that the writes do not run in step with anything else that is periodic.
                double due = i - from + ThreadLocalRandom.current().nextDouble(-0.3, 0.3);
                long at = begin + (long) (due * 1e9 / perSecond);
                while (System.nanoTime() < at) {
                    LockSupport.parkNanos(at - System.nanoTime());
                }
                insert.setString(1, "key-" + ThreadLocalRandom.current().nextInt(Rows.KEYS));
                insert.setString(2, String.format(Locale.ROOT, "{\"n\":%d}", i));
                begun[i] = System.nanoTime();
                insert.executeUpdate();
                committed[i] = System.nanoTime();
            }
        }
    }

    private int missing() {
        int missing = 0;
        for (int i = WARM_ROWS; i < rows; i++) {
            missing += handled.get(i) == 0 ? 1 : 0;
        }
        return missing;
    }

    /** The handler may be called before the writer's commit returns; that counts as zero. */
    private String percentiles(long[] since) {
        long[] micros = new long[rows - WARM_ROWS];
        for (int i = WARM_ROWS; i < rows; i++) {
            long end = handled.get(i) == 0 ? System.nanoTime() : handled.get(i);
            micros[i - WARM_ROWS] = Math.max(0, end - since[i]) / 1000;
        }
        return ranks(micros);
    }

    /** The times of the insert alone, which show how busy the machine is. */
    private String ownPercentiles() {
        long[] micros = new long[rows - WARM_ROWS];
        for (int i = WARM_ROWS; i < rows; i++) {
            micros[i - WARM_ROWS] = (committed[i] - begun[i]) / 1000;
        }
        return ranks(micros);
    }

    private static String ranks(long[] micros) {
        Arrays.sort(micros);
        return rank(micros, 50) + "\t" + rank(micros, 99) + "\t" + micros[micros.length - 1];
    }

    private static long rank(long[] sorted, int percent) {
        return sorted[Math.max(0, (int) Math.ceil(sorted.length * percent / 100.0) - 1)];
    }
}
