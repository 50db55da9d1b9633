package org.pgbaton.proofs.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.http.WebhookPublisher;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * An endpoint refuses everything for as many tries as a day has with the usual pauses of a minute, and health reports
 * it all the time. The pauses are milliseconds here. The test would see anything that grows with the number of tries.
 */
@BatonTest
class AnEndpointThatIsDownForADayTest {
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final int TRIES_OF_A_DAY = 24 * 60;

    @Test
    void isTriedAgainUntilItIsBackAndThenGetsEverythingInOrder(TestDatabase database) throws Exception {
        try (WebhookTarget endpoint = new WebhookTarget();
                WebhookPublisher publisher = WebhookPublisher.to(URI.create(endpoint.address()))
                        .allowPrivate(true)
                        .build();
                Baton baton = database.baton()) {
            endpoint.goAway();
            Subscription relay = baton.subscription("relay")
                    .on("outbox")
                    .backoff(Duration.ofMillis(1), Duration.ofMillis(2))
                    .publish(publisher)
                    .start();
            append(database, 500);
            for (int hour = 1; hour <= 24; hour++) {
                int tries = hour * TRIES_OF_A_DAY / 24;
                await().atMost(SOON).until(() -> endpoint.refused() >= tries);
                append(database, 20);
                assertThat(relay.health().trouble()).contains("503");
                assertThat(relay.stats().keysParked()).isZero();
            }
            assertThat(endpoint.count()).isZero();
            assertThat(database.one("SELECT count(*) FROM baton.parked"))
                    .as("an outage sets aside nothing")
                    .isEqualTo("0");

            endpoint.comeBack();
            database.drain("relay", SOON);
            assertThat(Published.compare(
                            Published.written(database, "SELECT key, id FROM baton.outbox ORDER BY position"),
                            endpoint.receipts().stream()
                                    .map(TradeTarget.Receipt::arrival)
                                    .toList()))
                    .matches(Published::isExactlyOnceInOrder);
            await().atMost(SOON).until(() -> relay.health().isHealthy());
        }
    }

    private static void append(TestDatabase database, int rows) throws Exception {
        database.execute("INSERT INTO baton.outbox (topic, key, payload) SELECT 'trades', 'P' || n % 50, to_json(n) "
                + "FROM generate_series(1, " + rows + ") n");
    }
}
