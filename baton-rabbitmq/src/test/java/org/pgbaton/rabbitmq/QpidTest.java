package org.pgbaton.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.publisher.KeyedRelay;
import org.pgbaton.testkit.publisher.LoggedMessages;
import org.pgbaton.testkit.publisher.Outcome;
import org.slf4j.LoggerFactory;

/**
 * The publisher needs AMQP 0-9-1 and confirms, not RabbitMQ itself. These tests also run where RabbitMQ is not
 * installed.
 */
@BatonTest
class QpidTest {

    @Test
    void anotherBrokerOfTheSameProtocolWillDo(TestDatabase database) throws Exception {
        ((Logger) LoggerFactory.getLogger("org.apache.qpid")).setLevel(Level.WARN);
        ((Logger) LoggerFactory.getLogger("qpid.message")).setLevel(Level.WARN);
        try (QpidServer server = new QpidServer();
                LoggedMessages outbox = new LoggedMessages(database);
                RabbitPublisher publisher = RabbitPublisher.to(server.uri()).build();
                RabbitPublisher astray =
                        RabbitPublisher.to(server.uri()).exchange("missing").build();
                Connection connection = connect(server)) {
            Channel channel = connection.createChannel();
            channel.queueDeclare("q", true, false, false, null);
            List<Message> messages = outbox.put(IntStream.range(0, 300)
                    .mapToObj(i -> Draft.json("{\"n\": " + i + "}").topic("q").key("key-" + i % 50))
                    .toList());
            KeyedRelay.start(publisher, messages).awaitEnd(Duration.ofSeconds(60));

            Map<String, Set<String>> sent = new TreeMap<>();
            messages.forEach(each ->
                    sent.computeIfAbsent(each.key(), k -> new LinkedHashSet<>()).add(each.id() + each.text()));
            Map<String, Set<String>> arrived = new TreeMap<>();
            for (GetResponse next = channel.basicGet("q", true); next != null; next = channel.basicGet("q", true)) {
                arrived.computeIfAbsent(Rabbit.key(next), k -> new LinkedHashSet<>())
                        .add(next.getProps().getMessageId() + new String(next.getBody(), StandardCharsets.UTF_8));
            }
            sent.forEach((key, texts) -> assertThat(new ArrayList<>(arrived.getOrDefault(key, Set.of())))
                    .isEqualTo(new ArrayList<>(texts)));

            Message nowhere = outbox.put(Draft.json("{}").topic("nowhere"));
            assertThat(Outcome.failure(publisher.publish(nowhere, LoggedMessages.FIRST))
                            .verdict())
                    .isEqualTo(Verdict.RETRY);
            assertThat(Outcome.failure(astray.publish(nowhere, LoggedMessages.FIRST))
                            .verdict())
                    .isEqualTo(Verdict.OUTAGE);
        }
    }

    private static Connection connect(QpidServer server) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(server.uri());
        return factory.newConnection();
    }
}
