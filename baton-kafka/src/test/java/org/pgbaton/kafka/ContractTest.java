package org.pgbaton.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.pgbaton.kafka.broker.TestBroker;
import org.pgbaton.kafka.client.Records;
import org.pgbaton.log.Draft;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.testkit.publisher.PublisherContract;

/** What every publisher owes its relay. */
class ContractTest extends PublisherContract {
    private static TestBroker broker;

    @BeforeAll
    static void start() {
        broker = TestBroker.start();
    }

    @AfterAll
    static void end() {
        broker.close();
    }

    @Override
    protected Target target() {
        return new Topic(broker.topics().create(3));
    }

    private record Topic(String topic) implements Target {
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
                    .map(each -> new Arrived(Records.text(each.key()), UUID.fromString(Outbox.id(each)), each.value()))
                    .toList();
        }

        @Override
        public void breakDown() {
            broker.stop();
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
