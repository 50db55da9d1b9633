package org.pgbaton.proofs.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgbaton.Baton;
import org.pgbaton.http.WebhookPublisher;
import org.pgbaton.micrometer.BatonMetrics;
import org.pgbaton.nats.NatsPublisher;
import org.pgbaton.nats.NatsServer;
import org.pgbaton.subscription.ParkedKey;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.subscription.SubscriptionBuilder;
import org.pgbaton.subscription.SubscriptionHealth;
import org.pgbaton.subscription.SubscriptionStatus;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * Promise 6 for relays: four of them in one process, on one outbox. One endpoint hangs, one broker is away, and a third
 * endpoint refuses one key and is slow for another. The fourth relay, and all other keys of the third, go on as before.
 * Health and metrics say which relay has which trouble. Nothing is lost, and when the trouble is over the relays go on
 * by themselves.
 */
@BatonTest
class OneBadEndpointHoldsUpNobodyTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final String WRITTEN = "SELECT key, id FROM baton.outbox ORDER BY position";

    @BeforeEach
    void needsABroker() {
        assumeTrue(NatsServer.isInstalled(), NatsServer.MISSING);
    }

    @Test
    void forSeconds(TestDatabase database) throws Exception {
        try (Neighbours neighbours = new Neighbours(database, Duration.ofMillis(500), Duration.ofSeconds(2))) {
            neighbours.run(Duration.ofSeconds(5), Duration.ofMillis(800));
        }
    }

    @Test
    @Tag("heavy")
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void forMinutes(TestDatabase database) throws Exception {
        try (Neighbours neighbours = new Neighbours(database, Duration.ofSeconds(1), Duration.ofSeconds(15))) {
            neighbours.run(Duration.ofMinutes(3), Duration.ofSeconds(2));
        }
    }

    private static final class Neighbours implements AutoCloseable {
        private static final int PORTFOLIOS = 50;
        private static final int ROUND = 400;

        private final TestDatabase database;
        private final Baton baton;
        private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
        private final WebhookTarget good = new WebhookTarget();
        private final WebhookTarget hanging = new WebhookTarget();
        private final WebhookTarget mixed = new WebhookTarget();
        private final NatsTarget away;
        private final List<Publisher> publishers = new ArrayList<>();

        Neighbours(TestDatabase database, Duration slow, Duration patience) throws Exception {
            this.database = database;
            away = new NatsTarget();
            for (TradeTarget each : List.of(good, hanging, away)) {
                each.alsoTake("narrow");
            }
            for (WebhookTarget each : List.of(good, hanging, mixed)) {
                each.takes(Duration.ofMillis(10));
            }
            baton = database.baton();
            new BatonMetrics(baton).bindTo(meters);
            publish("good", webhook(good).build());
            // When the endpoint is back, all its waiting keys go on at once.
            publish(
                    "hanging",
                    webhook(hanging).timeout(patience).build(),
                    relay -> relay.slowKey(slow).attempts(2).workers(16));
            publish("mixed", webhook(mixed).build());
            publish("away", NatsPublisher.to(away.address()).build());
        }

        private static WebhookPublisher.Builder webhook(WebhookTarget target) {
            return WebhookPublisher.to(URI.create(target.address())).allowPrivate(true);
        }

        private void publish(String name, Publisher publisher) {
            publish(name, publisher, relay -> relay);
        }

        private void publish(String name, Publisher publisher, UnaryOperator<SubscriptionBuilder> options) {
            publishers.add(publisher);
            options.apply(baton.subscription(name)
                            .on("outbox")
                            .backoff(Duration.ofMillis(100), Duration.ofSeconds(1))
                            .publish(publisher))
                    .start();
        }

        /** @param every how often a round of messages begins */
        void run(Duration trouble, Duration every) throws Exception {
            round();
            Rates calm = rounds(every.plus(trouble.dividedBy(10)), every);
            await().atMost(SOON).until(() -> baton.health().isHealthy());

            hanging.fallSilent();
            away.goAway();
            mixed.takes("slow", Duration.ofMillis(1500));
            database.execute(
                    "INSERT INTO baton.outbox (topic, key, payload) SELECT 'narrow', 'poison', '{}' FROM generate_series(1, 3)");
            Rates troubled = rounds(trouble, every);
            assertThatItIsTold();
            System.out.println("OneBadEndpointHoldsUpNobody: for " + trouble.toSeconds()
                    + " s; messages/s at the good endpoint: calm "
                    + calm.good + ", with bad neighbours " + troubled.good
                    + "; ordinary keys beside a poison and a slow one: calm "
                    + calm.mixed + ", then " + troubled.mixed);
            assertThat(troubled.good).isGreaterThan(calm.good / 4);
            assertThat(troubled.mixed).isGreaterThan(calm.mixed / 10);

            hanging.answerAgain();
            away.comeBack();
            mixed.alsoTake("narrow");
            baton.subscriptions().retry("mixed", "poison", "it is taken now");
            assertNothingIsLost();
            await().atMost(SOON).until(() -> baton.health().isHealthy());
        }

        /** Messages per second. */
        private record Rates(long good, long mixed) {}

        private Rates rounds(Duration atLeast, Duration every) throws Exception {
            long start = System.nanoTime();
            long nanosGood = 0;
            long nanosMixed = 0;
            int rounds = 0;
            while (System.nanoTime() - start < atLeast.toNanos()) {
                long begun = System.nanoTime();
                database.execute("INSERT INTO baton.outbox (topic, key, payload) VALUES ('trades', 'slow', '{}')");
                Rates nanos = round();
                nanosGood += nanos.good;
                nanosMixed += nanos.mixed;
                rounds++;
                Thread.sleep(Math.max(0, every.toMillis() - (System.nanoTime() - begun) / 1_000_000));
            }
            return new Rates(ROUND * 1_000_000_000L * rounds / nanosGood, ROUND * 1_000_000_000L * rounds / nanosMixed);
        }

        /** @return nanoseconds until the ordinary keys were there */
        private Rates round() throws Exception {
            int inGood = good.ofPortfolios() + ROUND;
            int inMixed = mixed.ofPortfolios() + ROUND;
            long start = System.nanoTime();
            database.execute("INSERT INTO baton.outbox (topic, key, payload) SELECT 'trades', 'P' || p, to_json(n) "
                    + "FROM generate_series(1, " + ROUND / PORTFOLIOS + ") n, generate_series(1, " + PORTFOLIOS
                    + ") p ORDER BY n, p");
            long nanosGood = 0;
            long nanosMixed = 0;
            while (nanosGood == 0 || nanosMixed == 0) {
                long passed = System.nanoTime() - start;
                assertThat(passed).as("nanoseconds in vain").isLessThan(SOON.toNanos());
                nanosGood = nanosGood == 0 && good.ofPortfolios() >= inGood ? passed : nanosGood;
                nanosMixed = nanosMixed == 0 && mixed.ofPortfolios() >= inMixed ? passed : nanosMixed;
                Thread.sleep(1);
            }
            return new Rates(nanosGood, nanosMixed);
        }

        private void assertThatItIsTold() {
            await().atMost(SOON).untilAsserted(() -> {
                assertThat(health("good").trouble()).isNull();
                assertThat(health("hanging").trouble()).contains("did not answer");
                assertThat(health("away").trouble()).contains("NATS");
                assertThat(health("mixed").trouble()).contains("1 parked keys");
            });
            assertThat(meter("good", "behind")).isZero();
            assertThat(meter("mixed", "behind")).isZero();
            assertThat(meter("hanging", "keys.aside")).isPositive();
            assertThat(meter("away", "behind")).isPositive();
            assertThat(meter("mixed", "keys.parked")).isOne();
            assertThat(List.of(
                            meter("good", "keys.parked"),
                            meter("hanging", "keys.parked"),
                            meter("away", "keys.parked")))
                    .as("an outage parks nothing")
                    .containsOnly(0.0);
            assertThat(baton.subscriptions().parked("mixed"))
                    .filteredOn(key -> key.state() == ParkedKey.State.PARKED)
                    .extracting(ParkedKey::key, ParkedKey::waiting)
                    .containsExactly(org.assertj.core.groups.Tuple.tuple("poison", 3L));
            assertThat(baton.subscriptions().list())
                    .filteredOn(each -> !each.backlog().isEmpty() || each.keys().setAside() > 0)
                    .extracting(SubscriptionStatus::name)
                    .contains("hanging", "away")
                    .doesNotContain("good");
        }

        private SubscriptionHealth health(String name) {
            return baton.health().subscriptions().stream()
                    .filter(each -> each.name().equals(name))
                    .findFirst()
                    .orElseThrow();
        }

        private double meter(String subscription, String name) {
            return meters.get("baton.subscription." + name)
                    .tag("subscription", subscription)
                    .gauge()
                    .value();
        }

        private void assertNothingIsLost() throws Exception {
            for (Map.Entry<String, TradeTarget> each : Map.of(
                            "good", good, "hanging", hanging, "mixed", mixed, "away", away)
                    .entrySet()) {
                database.drain(each.getKey(), Duration.ofMinutes(3));
                assertThat(verdict(each.getValue())).as(each.getKey()).matches(Published::isInOrder);
            }
        }

        private Published verdict(TradeTarget target) throws Exception {
            return Published.compare(
                    written(),
                    target.receipts().stream().map(TradeTarget.Receipt::arrival).toList());
        }

        private Map<String, List<String>> written() throws SQLException {
            return Published.written(database, WRITTEN);
        }

        @Override
        public void close() {
            baton.close();
            publishers.forEach(Publisher::close);
            List.of(good, hanging, mixed, away).forEach(TradeTarget::close);
        }
    }
}
