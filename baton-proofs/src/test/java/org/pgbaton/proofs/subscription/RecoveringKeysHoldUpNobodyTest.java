package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** Thousands of keys that failed and recover together hold up no healthy key, and need no more threads than anything else. */
@BatonTest
class RecoveringKeysHoldUpNobodyTest {
    private static final String NAME = "s";
    /** Threads for workers, rounds, calls and everything else; far fewer than one for each key. */
    private static final int MOST_THREADS = 100;

    @Test
    void whileTenThousandKeysRecover(TestDatabase database) throws Exception {
        recover(database, 10_000, Duration.ofSeconds(60));
    }

    @Test
    @Tag("heavy")
    void whileAHundredThousandKeysRecover(TestDatabase database) throws Exception {
        recover(database, 100_000, Duration.ofMinutes(5));
    }

    private static void recover(TestDatabase database, int keys, Duration atMost) throws Exception {
        setAside(database, keys);
        Map<String, Long> handledAt = new ConcurrentHashMap<>();
        Set<String> recovered = ConcurrentHashMap.newKeySet();
        AtomicInteger again = new AtomicInteger();
        try (Baton baton = database.baton()) {
            Subscription subscription = baton.subscription(NAME)
                    .on("events")
                    .react((message, delivery) -> {
                        handledAt.put(message.key(), System.nanoTime());
                        if (message.key().startsWith("recovering-") && !recovered.add(message.key())) {
                            again.incrementAndGet();
                        }
                    })
                    .start();
            List<Double> waits = new ArrayList<>();
            int threads = 0;
            long end = System.nanoTime() + atMost.toNanos();
            while (count(database, "baton.parked") > 0) {
                assertThat(System.nanoTime())
                        .as("%s keys have recovered", recovered.size())
                        .isLessThan(end);
                waits.add(waitOfAHealthyKey(database, handledAt, "healthy-" + waits.size()));
                threads = Math.max(threads, threads());
            }
            double worst = Collections.max(waits);
            System.out.printf(
                    "%d keys recovered; %d healthy ones waited at most %.3f s; at most %d threads%n",
                    keys, waits.size(), worst, threads);
            assertThat(recovered).hasSize(keys);
            assertThat(again.get()).isZero();
            assertThat(worst).isLessThan(2.0);
            assertThat(threads).isLessThan(MOST_THREADS);
            assertThat(subscription.stats().keysAside()).isZero();
        }
    }

    /** From its commit until it is handled, in seconds. */
    private static double waitOfAHealthyKey(TestDatabase database, Map<String, Long> handledAt, String key)
            throws SQLException {
        database.execute("INSERT INTO baton.events (key, payload) VALUES ('" + key + "', '{}')");
        long committed = System.nanoTime();
        Eventually.isTrue(Duration.ofSeconds(60), () -> handledAt.containsKey(key));
        return Math.max(0, handledAt.get(key) - committed) / 1e9;
    }

    private static int threads() {
        return (int) Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("baton-"))
                .count();
    }

    /** As if each key's only message had failed once, a moment ago. */
    private static void setAside(TestDatabase database, int keys) throws Exception {
        try (Baton baton = database.baton()) {
            baton.subscription(NAME)
                    .on("events")
                    .react((message, delivery) -> {})
                    .start()
                    .close();
        }
        database.execute("""
                INSERT INTO baton.events (key, payload) SELECT 'recovering-' || n, '{}' FROM generate_series(1, %d) n;
                UPDATE baton.checkpoint SET position = (SELECT max(position) FROM baton.events);
                INSERT INTO baton.parked (subscription, checkpoint, key, state, attempts, error)
                SELECT c.subscription, c.id, e.key, 'retrying', 1, 'not yet'
                  FROM baton.events e JOIN baton.checkpoint c ON c.lane = e.lane;
                INSERT INTO baton.parked_message (parked, position, log)
                SELECT p.id, e.position, 'events' FROM baton.parked p JOIN baton.events e ON e.key = p.key;
                ANALYZE baton.parked, baton.parked_message, baton.events""".formatted(keys));
    }

    private static long count(TestDatabase database, String table) throws SQLException {
        return Long.parseLong(database.one("SELECT count(*) FROM " + table));
    }
}
