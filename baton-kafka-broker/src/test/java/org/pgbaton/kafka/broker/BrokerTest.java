package org.pgbaton.kafka.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class BrokerTest {

    @Test
    void whatWasWrittenIsThereAfterARestart() throws Exception {
        try (TestBroker broker = TestBroker.start()) {
            String topic = broker.topics().create(2);
            send(broker.bootstrapServers(), topic, "before");
            broker.restart();
            send(broker.bootstrapServers(), topic, "after");

            assertThat(values(broker.topics(), topic)).containsExactlyInAnyOrder("before", "after");
        }
    }

    @Test
    void aProcessCanBeKilledAndComesBackAtTheSameAddress() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start(Map.of("num.partitions", "3"))) {
            String address = broker.bootstrapServers();
            String topic = broker.topics().create(1);
            send(address, topic, "before");
            broker.kill();
            broker.restart();
            assertThat(broker.bootstrapServers()).isEqualTo(address);
            broker.freeze();
            broker.thaw();
            send(address, topic, "after");

            assertThat(values(broker.topics(), topic)).containsExactly("before", "after");
        }
    }

    private static Iterable<String> values(TestTopics topics, String topic) {
        return topics.committed(topic).stream()
                .map(each -> new String(each.value(), StandardCharsets.UTF_8))
                .toList();
    }

    private static void send(String servers, String topic, String value) throws Exception {
        Map<String, Object> settings = Map.of("bootstrap.servers", servers);
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(topic, value)).get(20, TimeUnit.SECONDS);
        }
    }
}
