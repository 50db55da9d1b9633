package org.pgbaton.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.GetResponse;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.publisher.LoggedMessages;
import org.pgbaton.testkit.publisher.Outcome;

/** Consumers find the attributes of a CloudEvent among the headers, under the names of CloudEvents' binding to AMQP. */
@BatonTest
class CloudEventsTest {
    @Test
    void aMessageIsACloudEvent(TestDatabase database) throws Exception {
        try (LoggedMessages outbox = new LoggedMessages(database);
                Rabbit rabbit = Rabbit.open();
                RabbitPublisher publisher = RabbitPublisher.to(Rabbit.server().uri())
                        .cloudEvents("/shop/orders")
                        .build()) {
            String queue = rabbit.queue();
            Message message = outbox.put(
                    Draft.json("{ \"amount\": 10 }")
                            .topic(queue)
                            .key("Konto 42/ü")
                            .type("Deposited")
                            .headersJson(
                                    "{\"cloudEvents:tenant\": \"7\", \"cloudEvents:id\": \"1\", \"cloudevents:Source\": \"/bank\"}"));
            Outcome.awaitPublished(publisher.publish(message, LoggedMessages.FIRST));

            GetResponse got = rabbit.channel().basicGet(queue, true);
            assertThat(got.getBody()).isEqualTo(message.payload());
            assertThat(got.getProps().getContentType()).isEqualTo("application/json");
            Map<String, String> attributes = got.getProps().getHeaders().entrySet().stream()
                    .filter(header -> !header.getKey().startsWith("baton-"))
                    .collect(Collectors.toMap(
                            Map.Entry::getKey, header -> header.getValue().toString()));
            assertThat(attributes)
                    .isEqualTo(Map.of(
                            "cloudEvents:specversion", "1.0",
                            "cloudEvents:id", message.id().toString(),
                            "cloudEvents:source", "/shop/orders",
                            "cloudEvents:type", "Deposited",
                            "cloudEvents:time", message.recordedAt().toString(),
                            "cloudEvents:subject", "Konto 42/ü",
                            "cloudEvents:tenant", "7"));
        }
    }
}
