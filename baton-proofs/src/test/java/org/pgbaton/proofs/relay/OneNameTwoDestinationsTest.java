package org.pgbaton.proofs.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionException;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** Two configurations that give one relay's name to two destinations would share its messages between them: the second is refused. */
@BatonTest
class OneNameTwoDestinationsTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    @Test
    void theSecondIsRefusedWhileTheFirstRunsAndTakesOverWhenItHasStopped(TestDatabase database) throws Exception {
        Sink one = new Sink("broker one");
        Sink two = new Sink("broker two");
        append(database);
        try (Baton first = database.baton("first");
                Baton second = database.baton("second")) {
            Subscription running = start(first, one);
            database.drain("relay", SOON);
            assertThatThrownBy(() -> start(second, two))
                    .isInstanceOf(SubscriptionException.class)
                    .hasMessageContaining("broker one in first")
                    .hasMessageContaining("broker two")
                    .hasMessageContaining("stop the processes");
            append(database);
            database.drain("relay", SOON);
            assertThat(one.got).hasSize(2);
            assertThat(two.got).isEmpty();
            start(second, new Sink("broker one")).close();

            running.close();
            start(second, two);
            append(database);
            database.drain("relay", SOON);
            assertThat(two.got).hasSize(1);
            assertThat(second.subscriptions().actions(5))
                    .anySatisfy(action -> assertThat(action.detail()).contains("from broker one to broker two"));
        }
    }

    /** Another version of the same relay may publish elsewhere. */
    @Test
    void aTargetBesideTheLiveOneHasItsOwn(TestDatabase database) throws Exception {
        Sink one = new Sink("broker one");
        Sink two = new Sink("broker two");
        append(database);
        try (Baton baton = database.baton()) {
            start(baton, one);
            baton.subscription("relay").target("v2").on("outbox").publish(two).start();
            database.drain("relay", SOON);
            org.awaitility.Awaitility.await().atMost(SOON).until(() -> two.got.size() == 1);
            assertThat(one.got).hasSize(1);
        }
    }

    private static Subscription start(Baton baton, Sink sink) {
        return baton.subscription("relay").on("outbox").publish(sink).start();
    }

    private static void append(TestDatabase database) throws Exception {
        database.execute("INSERT INTO baton.outbox (topic, key, payload) VALUES ('t', 'k', '1')");
    }

    private record Sink(String target, List<Message> got) implements Publisher {
        Sink(String target) {
            this(target, new CopyOnWriteArrayList<>());
        }

        @Override
        public CompletionStage<?> publish(Message message, Delivery delivery) {
            got.add(message);
            return CompletableFuture.completedStage(null);
        }

        @Override
        public void close() {}
    }
}
