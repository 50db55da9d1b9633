package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * A lane that is to change hands goes on with its healthy keys until its slow call has ended; then it is handed over, and the slow key goes on
 * elsewhere.
 */
@BatonTest
class AJoiningMemberDelaysNobodyTest {
    private static final String NAME = "s";

    @Test
    void whileASlowCallOfTheLaneIsInFlight(TestDatabase database) throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Map<String, Long> handledAt = new ConcurrentHashMap<>();
        Deliveries deliveries = new Deliveries();
        AtomicReference<String> lastOwner = new AtomicReference<>("");
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            try {
                // A member gives its last lane back first.
                String slow = keyOfTheLastLane(database, "slow");
                Subscription first = start(one, slow, inside, go, handledAt, deliveries, lastOwner);
                Eventually.isTrue(() -> first.stats().lanes() == 16);
                append(database, slow);
                inside.await();
                append(database, slow);
                Eventually.isTrue(() -> database.one("SELECT count(*) FROM baton.parked_message")
                        .equals("2"));

                Subscription second = start(two, slow, inside, go, handledAt, deliveries, lastOwner);
                Eventually.isTrue(
                        () -> second.stats().lanes() >= 7 && first.stats().lanes() == 9);
                List<Double> waits = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    String key = keyOfTheLastLane(database, "healthy-" + i);
                    append(database, key);
                    long committed = System.nanoTime();
                    Eventually.isTrue(() -> handledAt.containsKey(key));
                    waits.add((handledAt.get(key) - committed) / 1e9);
                }
                System.out.printf("healthy keys waited at most %.3f s%n", Collections.max(waits));
                assertThat(Collections.max(waits)).isLessThan(3.0);
                assertThat(deliveries.of(slow)).hasSize(1);
                assertThat(first.stats().lanes()).isEqualTo(9);

                go.countDown();
                Eventually.isTrue(
                        () -> first.stats().lanes() == 8 && second.stats().lanes() == 8);
                append(database, slow);
                Eventually.isTrue(() -> deliveries.of(slow).stream().distinct().count() == 3);
                Eventually.isTrue(() -> lastOwner.get().equals("two"));
                assertThat(deliveries.of(slow).stream().distinct()).isSorted();
                assertThat(deliveries.everOverlapped()).isFalse();
            } finally {
                go.countDown(); // also after a failure: closing would wait for it
            }
        }
    }

    private static Subscription start(
            Baton baton,
            String slow,
            CountDownLatch inside,
            CountDownLatch go,
            Map<String, Long> handledAt,
            Deliveries deliveries,
            AtomicReference<String> lastOwner) {
        return baton.subscription(NAME)
                .on("events")
                .slowKey(Duration.ofMillis(200))
                .handlerLimit(Duration.ofMinutes(5))
                .react((message, delivery) -> {
                    deliveries.begin(message);
                    if (message.key().equals(slow)) {
                        lastOwner.set(baton.who());
                        inside.countDown();
                        go.await();
                    }
                    deliveries.end(message);
                    handledAt.put(message.key(), System.nanoTime());
                })
                .start();
    }

    private static void append(TestDatabase database, String key) throws SQLException {
        database.execute("INSERT INTO baton.events (key, payload) VALUES ('" + key + "', '{}')");
    }

    private static String keyOfTheLastLane(TestDatabase database, String prefix) throws SQLException {
        return database.one(
                "SELECT ? || '-' || n FROM generate_series(1, 10000) n WHERE baton.lane_of(? || '-' || n, 16) = 15 LIMIT 1",
                prefix,
                prefix);
    }
}
