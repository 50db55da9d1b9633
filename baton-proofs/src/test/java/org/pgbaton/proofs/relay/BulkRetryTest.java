package org.pgbaton.proofs.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.OperatorAction;
import org.pgbaton.subscription.ParkedKey;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** Keys of a relay that are parked for different reasons: those with one error are tried again together, and no other. */
@BatonTest
class BulkRetryTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    /** Each key has a good message, one that is refused, and one behind it. */
    private static void append(TestDatabase database, String prefix, int keys) throws Exception {
        database.execute("INSERT INTO baton.outbox (topic, key, payload) SELECT 't', '" + prefix + "-' || k, "
                + "to_json(m) FROM generate_series(1, " + keys + ") k, unnest(ARRAY['first', '" + prefix
                + "', 'last']) WITH ORDINALITY AS messages (m, n) ORDER BY n, k");
    }

    private static List<String> of(Endpoint endpoint, String key) {
        return endpoint.arrived.stream()
                .filter(message -> message.key().equals(key))
                .map(Message::text)
                .toList();
    }

    @Test
    void onlyKeysWithThatErrorAreTriedAgainAndTheirMessagesArriveInOrder(TestDatabase database) throws Exception {
        append(database, "large", 20);
        append(database, "unknown", 10);
        append(database, "fine", 5);
        try (Endpoint endpoint = new Endpoint();
                Baton baton = database.baton()) {
            endpoint.refused.addAll(Set.of("\"large\"", "\"unknown\""));
            Subscription relay =
                    baton.subscription("relay").on("outbox").publish(endpoint).start();
            await().atMost(SOON).until(() -> relay.stats().keysParked() == 30);
            assertThat(endpoint.arrived).hasSize(30 + 15);

            // Both causes are gone; the operator has looked at one of them only.
            endpoint.refused.clear();
            assertThat(baton.subscriptions().retryAll("relay", "refuses '\"large\"'", "the limit was raised"))
                    .isEqualTo(20);
            await().atMost(SOON).until(() -> endpoint.arrived.size() == 45 + 40);
            database.drainExceptParked("relay", SOON);
            for (int i = 1; i <= 20; i++) {
                assertThat(of(endpoint, "large-" + i)).containsExactly("\"first\"", "\"large\"", "\"last\"");
            }
            assertThat(endpoint.arrived).hasSize(85);
            assertThat(baton.subscriptions().parked("relay"))
                    .hasSize(10)
                    .allSatisfy(key -> {
                        assertThat(key.key()).startsWith("unknown-");
                        assertThat(key.error()).contains("refuses '\"unknown\"'");
                        assertThat(key.waiting()).isEqualTo(2);
                    })
                    .extracting(ParkedKey::state)
                    .containsOnly(ParkedKey.State.PARKED);
            assertThat(relay.stats().keysParked()).isEqualTo(10);
            assertThat(baton.subscriptions().actions(1))
                    .extracting(OperatorAction::what, OperatorAction::reason)
                    .containsExactly(org.assertj.core.groups.Tuple.tuple("retry", "the limit was raised"));

            assertThat(baton.subscriptions().retryAll("relay", "refuses '\"large\"'", "once more"))
                    .isZero();
            assertThat(baton.subscriptions().retryAll("relay", null, "the rest"))
                    .isEqualTo(10);
            database.drain("relay", SOON);
            assertThat(endpoint.arrived).hasSize(105);
            assertThat(endpoint.overlapping).isEmpty();
        }
    }
}
