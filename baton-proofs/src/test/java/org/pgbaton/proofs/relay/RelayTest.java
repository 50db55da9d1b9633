package org.pgbaton.proofs.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.Baton;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionBuilder;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * A relay sends many keys at once and a key's messages one after the other. One bad key, or a target that is away, does
 * not disturb the others.
 */
@BatonTest
@ParameterizedClass(name = "together: {0}")
@ValueSource(booleans = {false, true})
class RelayTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    /** Whether the target takes several messages of a key together. */
    @Parameter
    boolean together;

    private static void append(TestDatabase database, int keys, int each) throws Exception {
        database.execute("INSERT INTO baton.outbox (topic, key, payload) SELECT 't', 'k' || k, to_json(n) "
                + "FROM generate_series(1, " + each + ") n, generate_series(1, " + keys + ") k ORDER BY n, k");
    }

    private static SubscriptionBuilder relay(Baton baton, Endpoint endpoint) {
        return baton.subscription("relay")
                .on("outbox")
                .backoff(Duration.ofMillis(20), Duration.ofMillis(200))
                .publish(endpoint);
    }

    private static List<String> of(Endpoint endpoint, String key) {
        return endpoint.arrived.stream()
                .filter(message -> message.key().equals(key))
                .map(Message::text)
                .toList();
    }

    private static void assertNothingTwice(Endpoint endpoint) {
        Set<UUID> ids = new HashSet<>();
        endpoint.arrived.forEach(message ->
                assertThat(ids.add(message.id())).as("%s twice", message).isTrue());
    }

    @Test
    void differentKeysAtOnceTheSameKeyNever(TestDatabase database) throws Exception {
        append(database, 50, 8);
        try (Endpoint endpoint = new Endpoint(together);
                Baton baton = database.baton()) {
            endpoint.takesMillis = 5;
            relay(baton, endpoint).start();
            database.drain("relay", SOON);

            assertThat(endpoint.arrived).hasSize(400);
            assertThat(of(endpoint, "k7")).containsExactly("1", "2", "3", "4", "5", "6", "7", "8");
            assertThat(endpoint.mostInFlight.get()).isGreaterThan(20);
            assertThat(endpoint.overlapping).isEmpty();
        }
    }

    @Test
    void aKeyThatHangsIsSetAsideAndGoesOnInOrder(TestDatabase database) throws Exception {
        append(database, 10, 3);
        try (Endpoint endpoint = new Endpoint(together);
                Baton baton = database.baton()) {
            CompletableFuture<Void> hangs = new CompletableFuture<>();
            endpoint.hanging.put("k3", hangs);
            Subscription relay =
                    relay(baton, endpoint).slowKey(Duration.ofMillis(100)).start();
            await().atMost(SOON).until(() -> endpoint.arrived.size() == 27);
            append(database, 10, 3);
            await().atMost(SOON).until(() -> endpoint.arrived.size() == 54);
            // On a busy machine others may have been slow for a moment.
            await().atMost(SOON).until(() -> relay.stats().keysAside() == 1);

            endpoint.hanging.clear();
            hangs.complete(null);
            database.drain("relay", SOON);
            assertThat(of(endpoint, "k3")).containsExactly("1", "2", "3", "1", "2", "3");
            assertThat(endpoint.overlapping).isEmpty();
            assertNothingTwice(endpoint);
        }
    }

    /** No batch waits for the slow key a second time. */
    @Test
    void aKeyThatWasSlowIsSetAsideAtOnceTheNextTime(TestDatabase database) throws Exception {
        Duration patience = Duration.ofSeconds(2);
        try (Endpoint endpoint = new Endpoint(together);
                Baton baton = database.baton()) {
            Subscription relay = relay(baton, endpoint).slowKey(patience).start();
            for (boolean known : new boolean[] {false, true}) {
                CompletableFuture<Void> hangs = new CompletableFuture<>();
                endpoint.hanging.put("k3", hangs);
                long start = System.nanoTime();
                append(database, 10, 1);
                await().pollInterval(Duration.ofMillis(5))
                        .atMost(SOON)
                        .until(() -> relay.stats().keysAside() == 1);
                Duration took = Duration.ofNanos(System.nanoTime() - start);
                assertThat(took.compareTo(patience) < 0).as("after " + took).isEqualTo(known);
                endpoint.hanging.clear();
                hangs.complete(null);
                database.drain("relay", SOON);
                await().atMost(SOON).until(() -> relay.stats().keysAside() == 0);
            }
            assertThat(of(endpoint, "k3")).hasSize(2);
            assertNothingTwice(endpoint);
        }
    }

    /**
     * Messages that were confirmed after the first failure are not sent again, and one message tests whether the target
     * is back.
     */
    @Test
    void anOutageInMidBatchSendsNothingTwice(TestDatabase database) throws Exception {
        append(database, 40, 10);
        try (Endpoint endpoint = new Endpoint(together);
                Baton baton = database.baton()) {
            endpoint.takesMillis = 2;
            endpoint.breaksDownAfter = 100;
            Subscription relay = relay(baton, endpoint)
                    .workers(1)
                    .slowKey(Duration.ofSeconds(20)) // only the machine can be slow here
                    .start();
            await().atMost(SOON).until(() -> relay.note() != null);
            assertThat(endpoint.arrived).hasSizeBetween(100, 399);
            int tries = endpoint.tries.get();
            await().atMost(SOON).until(() -> endpoint.tries.get() >= tries + 3);
            endpoint.mostInFlight.set(0);
            await().atMost(SOON).until(() -> endpoint.tries.get() >= tries + 5);
            assertThat(endpoint.mostInFlight.get()).as("probes at a time").isLessThanOrEqualTo(1);
            assertThat(relay.stats().keysAside()).isZero();

            endpoint.away = false;
            database.drain("relay", SOON);
            assertThat(endpoint.arrived).hasSize(400);
            assertNothingTwice(endpoint);
            assertThat(of(endpoint, "k40")).containsExactly("1", "2", "3", "4", "5", "6", "7", "8", "9", "10");
        }
    }

    @Test
    void aRefusedMessageParksItsKeyAndWhatFollowsWaitsBehindIt(TestDatabase database) throws Exception {
        append(database, 5, 2);
        database.execute("INSERT INTO baton.outbox (topic, key, payload) VALUES ('t', 'k2', '\"bad\"')");
        append(database, 5, 1);
        try (Endpoint endpoint = new Endpoint(together);
                Baton baton = database.baton()) {
            endpoint.refused.add("\"bad\"");
            Subscription relay = relay(baton, endpoint).start();
            await().atMost(SOON).until(() -> relay.stats().keysParked() == 1 && endpoint.arrived.size() == 14);
            assertThat(of(endpoint, "k2")).containsExactly("1", "2");

            endpoint.refused.clear();
            baton.subscriptions().retry("relay", "k2", "the endpoint takes it now");
            database.drain("relay", SOON);
            assertThat(of(endpoint, "k2")).containsExactly("1", "2", "\"bad\"", "1");
            assertNothingTwice(endpoint);
        }
    }

    @Test
    void inTotalOrderOneAtATime(TestDatabase database) throws Exception {
        append(database, 20, 5);
        try (Endpoint endpoint = new Endpoint(together);
                Baton baton = database.baton()) {
            relay(baton, endpoint).order(MessageOrder.TOTAL).start();
            database.drain("relay", SOON);
            assertThat(endpoint.mostInFlight.get()).isEqualTo(1);
            assertThat(endpoint.arrived.stream().map(Message::position))
                    .isSorted()
                    .hasSize(100);
        }
    }

    @Test
    void aTargetThatSaysStopStopsTheRelay(TestDatabase database) throws Exception {
        append(database, 1, 1);
        try (Endpoint endpoint = new Endpoint(together);
                Baton baton = database.baton()) {
            Subscription relay = baton.subscription("relay")
                    .on("outbox")
                    .publish(new org.pgbaton.subscription.Publisher() {
                        @Override
                        public String target() {
                            return "gone";
                        }

                        @Override
                        public CompletableFuture<Void> publish(
                                Message message, org.pgbaton.subscription.Delivery delivery) {
                            throw new org.pgbaton.subscription.HandlerException(
                                    org.pgbaton.subscription.Verdict.STOP, "it is gone for good");
                        }

                        @Override
                        public void close() {}
                    })
                    .start();
            await().atMost(SOON).until(() -> relay.state() == SubscriptionState.STOPPED);
            assertThat(relay.note()).contains("gone for good");
            assertThat(endpoint.arrived).isEmpty();
        }
    }
}
