package org.pgbaton.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.pgbaton.log.Draft;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.testkit.publisher.PublisherContract;

/** The contract of every publisher. The outage is a broker that was killed. */
class ContractTest extends PublisherContract {
    @Override
    protected Target target() throws Exception {
        Queue queue = new Queue("contract-" + UUID.randomUUID());
        try (Connection connection = connect()) {
            connection.createChannel().queueDeclare(queue.topic(), true, false, false, Map.of());
        }
        return queue;
    }

    private static Connection connect() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(Rabbit.server().uri());
        factory.setAutomaticRecoveryEnabled(false);
        return factory.newConnection();
    }

    private static final class Queue implements Target {
        private final String name;
        private final List<Arrived> arrived = new ArrayList<>();

        Queue(String name) {
            this.name = name;
        }

        @Override
        public String topic() {
            return name;
        }

        @Override
        public Publisher publisher() {
            return RabbitPublisher.to(Rabbit.server().uri())
                    .timeout(Duration.ofSeconds(5))
                    .build();
        }

        @Override
        public List<Arrived> arrived() throws Exception {
            try (Connection connection = connect();
                    Channel channel = connection.createChannel()) {
                for (GetResponse next = channel.basicGet(name, true);
                        next != null;
                        next = channel.basicGet(name, true)) {
                    UUID id = UUID.fromString(next.getProps().getMessageId());
                    arrived.add(new Arrived(Rabbit.key(next), id, next.getBody()));
                }
            }
            return List.copyOf(arrived);
        }

        @Override
        public void breakDown() throws Exception {
            Rabbit.server().writeDown();
            Rabbit.server().kill();
        }

        @Override
        public void recover() {
            Rabbit.server().restart();
        }

        /** A name of RabbitMQ itself, which no message may choose. */
        @Override
        public Optional<Draft> poison(String key) {
            return Optional.of(Draft.json("{}").key(key).topic("amq.gen-somebody"));
        }

        @Override
        public void close() {}
    }
}
