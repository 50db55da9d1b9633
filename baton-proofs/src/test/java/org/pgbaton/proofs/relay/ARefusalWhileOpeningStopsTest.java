package org.pgbaton.proofs.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.subscription.Feed;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.InstanceMode;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.subscription.TransactionalPublisher;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** If the target refuses while a lane is opened, the relay does not pretend to run: it stops, and says why. */
@BatonTest
class ARefusalWhileOpeningStopsTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    @Test
    void aTargetThatSaysStopStopsTheRelayAndHealthSaysWhy(TestDatabase database) throws Exception {
        stopsBecause(
                database,
                () -> new HandlerException(Verdict.STOP, "The progress topic would forget."),
                "The progress topic would forget.");
    }

    @Test
    void aMissingClassStopsTheRelayAndHealthNamesIt(TestDatabase database) throws Exception {
        stopsBecause(database, () -> new NoClassDefFoundError("org/example/CloseOptions"), "org/example/CloseOptions");
    }

    private static void stopsBecause(TestDatabase database, Supplier<Throwable> refusal, String words)
            throws Exception {
        try (Baton baton = database.baton()) {
            Subscription relay = baton.subscription("relay")
                    .on("outbox")
                    .publish(new Refusing(refusal))
                    .start();
            await().atMost(SOON).until(() -> relay.state() == SubscriptionState.STOPPED);
            assertThat(relay.health().isHealthy()).isFalse();
            assertThat(relay.health().trouble()).contains(words);
            await().atMost(SOON)
                    .until(() -> database.one("SELECT note FROM baton.subscription WHERE state = 'stopped'")
                            .contains(words));
        }
    }

    @Test
    void anOutageWhileOpeningIsTriedAgain(TestDatabase database) throws Exception {
        publishesAfterAnOutage(database, InstanceMode.COORDINATED);
    }

    /** In this mode there is no other member that could take the lane. */
    @Test
    void anOutageWhileASingleInstanceOpensIsTriedAgain(TestDatabase database) throws Exception {
        publishesAfterAnOutage(database, InstanceMode.SINGLE);
    }

    private static void publishesAfterAnOutage(TestDatabase database, InstanceMode mode) throws Exception {
        Ledger ledger = new Ledger();
        AtomicInteger tries = new AtomicInteger();
        try (Baton baton = database.baton()) {
            database.execute("INSERT INTO baton.outbox (topic, key, payload) VALUES ('t', 'k', '1')");
            baton.subscription("relay")
                    .on("outbox")
                    .mode(mode)
                    .backoff(Duration.ofMillis(10), Duration.ofMillis(100))
                    .publish(new Refusing(null) {
                        @Override
                        public Feed open(String subscription, int group) {
                            if (tries.getAndIncrement() < 6) {
                                throw new HandlerException(Verdict.OUTAGE, "it is away");
                            }
                            return ledger.open(subscription, group);
                        }
                    })
                    .start();
            database.drain("relay", SOON);
            assertThat(ledger.of("k")).containsExactly("1");
        }
    }

    private static class Refusing implements TransactionalPublisher {
        private final Supplier<Throwable> refusal;

        Refusing(Supplier<Throwable> refusal) {
            this.refusal = refusal;
        }

        @Override
        public String target() {
            return "nowhere";
        }

        @Override
        public int groups() {
            return 4;
        }

        @Override
        public Feed open(String subscription, int group) {
            Throwable why = refusal.get();
            if (why instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) why;
        }

        @Override
        public void close() {}
    }
}
