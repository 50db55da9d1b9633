package org.pgbaton.rabbitmq;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.testkit.publisher.BrokerPublisherContract.TestBroker;
import org.pgbaton.testkit.publisher.BrokerPublisherContract.Words;
import org.pgbaton.testkit.publisher.PublisherContract.Arrived;

/** The broker that all tests of this JVM share, as the contract needs it. */
final class SharedRabbit implements TestBroker {
    private static final String LOGIN = "amqp://" + RabbitServer.USER;

    @Override
    public RabbitServer server() {
        return Rabbit.server();
    }

    @Override
    public String topic() throws Exception {
        try (Rabbit rabbit = Rabbit.open()) {
            return rabbit.queue();
        }
    }

    @Override
    public Publisher publisher(int port, Duration timeout) {
        RabbitPublisher.Builder builder =
                RabbitPublisher.to(LOGIN + ":" + RabbitServer.PASSWORD + "@127.0.0.1:" + port);
        return builder.timeout(timeout).build();
    }

    @Override
    public Publisher publisher(Path passwordFile) {
        RabbitPublisher.Builder builder = RabbitPublisher.to(LOGIN + "@127.0.0.1:" + server().port());
        return builder.passwordFile(passwordFile).build();
    }

    @Override
    public List<Arrived> read(String topic) throws Exception {
        try (Rabbit rabbit = Rabbit.open()) {
            return rabbit.arrived(topic);
        }
    }

    @Override
    public long count(String topic) throws Exception {
        try (Rabbit rabbit = Rabbit.open()) {
            return rabbit.channel().messageCount(topic);
        }
    }

    @Override
    public Words words() {
        List<String> threads = List.of("baton-rabbitmq", "AMQP Connection 127.0.0.1:" + server().port() + "-");
        return new Words("did not confirm", "refuses user", threads, RabbitServer.PASSWORD);
    }
}
