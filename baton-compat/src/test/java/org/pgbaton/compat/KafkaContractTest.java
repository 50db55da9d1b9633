package org.pgbaton.compat;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.pgbaton.kafka.KafkaPublisher;
import org.pgbaton.kafka.broker.BrokerProcess;
import org.pgbaton.log.Draft;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.testkit.publisher.PublisherContract;

/** The contract of every publisher, with this client. The outage is a broker that was killed. */
class KafkaContractTest extends PublisherContract {
    @Override
    protected Target target() throws Exception {
        BrokerProcess broker = Kafka.broker();
        return new Topic(broker, broker.topics().create(3));
    }

    private record Topic(BrokerProcess broker, String topic) implements Target {
        @Override
        public Publisher publisher() {
            return KafkaPublisher.to(broker.bootstrapServers())
                    .property("max.request.size", 100_000)
                    .timeout(Duration.ofSeconds(3))
                    .build();
        }

        @Override
        public List<Arrived> arrived() {
            return broker.topics().committed(topic).stream()
                    .map(each -> new Arrived(
                            new String(each.key(), UTF_8),
                            UUID.fromString(
                                    new String(each.headers().lastHeader("baton-id").value(), UTF_8)),
                            each.value()))
                    .toList();
        }

        @Override
        public void breakDown() {
            broker.kill();
        }

        @Override
        public void recover() {
            broker.restart();
        }

        @Override
        public Optional<Draft> poison(String key) {
            return Optional.of(Draft.bytes(new byte[200_000]).key(key).topic(topic));
        }

        @Override
        public void close() {
            // Each test has another topic.
        }
    }
}
