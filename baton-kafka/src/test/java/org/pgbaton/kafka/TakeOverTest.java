package org.pgbaton.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.pgbaton.kafka.broker.TestBroker;
import org.pgbaton.kafka.client.TopicNames;
import org.pgbaton.subscription.Feed;
import org.pgbaton.testkit.JavaProcess;

/** Who takes over from a process that was killed in the midst of a transaction. */
class TakeOverTest {
    private static final String RELAY = "taken-over";

    private final TestBroker broker = TestBroker.shared();

    @Test
    void aTransactionThatWasLeftOpenIsAbortedByTheNextOne() throws Exception {
        String topic = broker.topics().create(1);
        String progress = TopicNames.progress("baton", RELAY);
        try (KafkaTransactionalPublisher publisher =
                KafkaTransactionalPublisher.to(broker.bootstrapServers()).build()) {
            try (Feed feed = publisher.open(RELAY, 0)) {
                feed.publish(List.of(Outbox.put(topic, "a", "1")), Outbox.FIRST, Map.of("at", "1"));
            }
            try (JavaProcess process = JavaProcess.start(
                    OpenTransactionProcess.class, broker.bootstrapServers(), progress + "-0", topic, progress)) {
                process.await("open true true", Duration.ofSeconds(30));
                process.kill();
            }
            assertThat(broker.topics().written(topic)).hasSize(2);
            assertThat(broker.topics().visible(topic)).hasSize(1);
            try (Feed feed = publisher.open(RELAY, 0)) {
                assertThat(feed.marks()).isEqualTo(Map.of("at", "1"));
                feed.publish(List.of(Outbox.put(topic, "a", "2")), Outbox.FIRST, Map.of("at", "2"));
            }
        }
        assertThat(broker.topics().committed(topic).stream().map(Outbox::value).toList())
                .containsExactly("\"1\"", "\"2\"");
    }
}
