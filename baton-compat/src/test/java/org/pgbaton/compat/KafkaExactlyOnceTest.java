package org.pgbaton.compat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.kafka.KafkaTransactionalPublisher;
import org.pgbaton.kafka.broker.BrokerProcess;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** Exactly once to Kafka with this client, over a change of owner: progress is written, read again, and counts. */
@BatonTest
class KafkaExactlyOnceTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    @Test
    void eachMessageIsThereOnceAndInOrderAfterATakeOver(TestDatabase database) throws Exception {
        BrokerProcess broker = Kafka.broker();
        String topic = broker.topics().create(1);
        relay(database, broker, topic, 1);
        relay(database, broker, topic, 101);
        assertThat(broker.topics().committed(topic))
                .extracting(each -> new String(each.value(), UTF_8))
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, 200).mapToObj(String::valueOf).toList());
    }

    private static void relay(TestDatabase database, BrokerProcess broker, String topic, int from) throws Exception {
        database.execute("INSERT INTO baton.outbox (topic, key, payload) SELECT '" + topic
                + "', 'k', n::text::json FROM generate_series(" + from + ", " + (from + 99) + ") n");
        try (KafkaTransactionalPublisher publisher =
                        KafkaTransactionalPublisher.to(broker.bootstrapServers()).groups(2).build();
                Baton baton = database.baton()) {
            baton.subscription("relay").on("outbox").publish(publisher).start();
            database.drain("relay", SOON);
        }
    }
}
