package org.pgbaton.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.kafka.broker.TestBroker;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** A relay's new version that catches up beside the live one has names of its own in Kafka: neither fences the other. */
@BatonTest
class ATargetBesideTheLiveOneTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    private final TestBroker broker = TestBroker.shared();

    @Test
    void bothPublishEverythingOnceAndNeitherTakesTheOthersFeed(TestDatabase database) throws Exception {
        String live = broker.topics().create(1);
        String next = broker.topics().create(1);
        try (KafkaTransactionalPublisher toLive = publisher(live);
                KafkaTransactionalPublisher toNext = publisher(next);
                Baton baton = database.baton()) {
            Subscription relay =
                    baton.subscription("beside").on("outbox").publish(toLive).start();
            append(database, 1);
            database.drain("beside", SOON);
            long taken = relay.stats().rebalances();
            baton.subscription("beside")
                    .target("v2")
                    .on("outbox")
                    .publish(toNext)
                    .start();
            for (int i = 2; i <= 5; i++) {
                append(database, i);
                database.drain("beside", SOON);
            }
            await().atMost(SOON).until(() -> values(next).size() >= 5);
            assertThat(values(live))
                    .isEqualTo(IntStream.rangeClosed(1, 5)
                            .mapToObj(Integer::toString)
                            .toList());
            assertThat(values(next)).isEqualTo(values(live));
            assertThat(relay.stats().rebalances()).as("feeds taken").isEqualTo(taken);
        }
    }

    private KafkaTransactionalPublisher publisher(String topic) {
        return KafkaTransactionalPublisher.to(broker.bootstrapServers())
                .topic(topic)
                .groups(1)
                .build();
    }

    private List<String> values(String topic) {
        return broker.topics().committed(topic).stream().map(Outbox::value).toList();
    }

    private static void append(TestDatabase database, int number) throws Exception {
        database.execute("INSERT INTO baton.outbox (topic, key, payload) VALUES ('t', 'k', '" + number + "')");
    }
}
