package org.pgbaton.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.GetResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.publisher.LoggedMessages;
import org.pgbaton.testkit.publisher.Outcome;
import org.pgbaton.testkit.publisher.Wire;

/** Consumers get the messages byte for byte and in order. */
@BatonTest
class WhatArrivesTest {

    @Test
    void bytesAndHeadersAreAsTheyWereWritten(TestDatabase database) throws Exception {
        try (LoggedMessages outbox = new LoggedMessages(database);
                Rabbit rabbit = Rabbit.open();
                RabbitPublisher publisher =
                        RabbitPublisher.to(Rabbit.server().uri()).build()) {
            String queue = rabbit.queue();
            String text = "{ \"b\" : 1,\n \"a\":  \"Grüße \uD83D\uDE80\" }";
            Message message = outbox.put(
                    Draft.json(text)
                            .topic(queue)
                            .key("Konto 42/ü")
                            .type("Deposited")
                            .headersJson(
                                    "{\"traceparent\": \"00-abc-def-01\", \"n\": 12, \"baton-key\": \"not this\", \"Baton-Fake\": 1}"));
            Outcome.awaitPublished(publisher.publish(message, new Delivery("relay", "", 1L << 40, 3)));

            GetResponse got = rabbit.channel().basicGet(queue, true);
            assertThat(new String(got.getBody(), StandardCharsets.UTF_8)).isEqualTo(text);
            BasicProperties properties = got.getProps();
            assertThat(properties.getMessageId()).isEqualTo(message.id().toString());
            assertThat(properties.getContentType()).isEqualTo("application/json");
            assertThat(properties.getDeliveryMode()).isEqualTo(2);
            assertThat(properties.getType()).isEqualTo("Deposited");
            assertThat(properties.getTimestamp().toInstant().getEpochSecond())
                    .isEqualTo(message.recordedAt().getEpochSecond());
            assertThat(texts(properties.getHeaders()))
                    .containsExactlyInAnyOrderEntriesOf(Map.of(
                            "traceparent", "00-abc-def-01",
                            "n", "12",
                            "baton-type", "Deposited",
                            "baton-subscription", "relay",
                            "baton-topic", queue,
                            "baton-key", "Konto 42/ü",
                            "baton-position", Long.toString(message.position()),
                            "baton-epoch", Long.toString(1L << 40),
                            "baton-attempt", "3"));
        }
    }

    @Test
    void anyBytesPassAlsoNoneAndAWholeMegabyte(TestDatabase database) throws Exception {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        byte[] large = new byte[999_000];
        large[998_999] = 1;
        try (LoggedMessages outbox = new LoggedMessages(database);
                Rabbit rabbit = Rabbit.open();
                RabbitPublisher publisher =
                        RabbitPublisher.to(Rabbit.server().uri()).build()) {
            String queue = rabbit.queue();
            for (byte[] each : List.of(all, new byte[0], large)) {
                Message message =
                        outbox.put(Draft.bytes(each).topic(queue).headers(Map.of("content-type", "image/png")));
                Outcome.awaitPublished(publisher.publish(message, LoggedMessages.FIRST));
                GetResponse got = rabbit.channel().basicGet(queue, true);
                assertThat(got.getBody()).isEqualTo(each);
                assertThat(got.getProps().getContentType()).isEqualTo("image/png");
                assertThat(got.getProps().getType()).isNull();
            }
        }
    }

    @Test
    void exchangeAndRoutingKeyAreMadeOfTheMessage(TestDatabase database) throws Exception {
        try (LoggedMessages outbox = new LoggedMessages(database);
                Rabbit rabbit = Rabbit.open();
                RabbitPublisher publisher = RabbitPublisher.to(Rabbit.server().uri())
                        .exchange("x-{topic}")
                        .routingKey("{type}.of.{key}")
                        .build()) {
            String queue = rabbit.queue();
            rabbit.channel().exchangeDeclare("x-orders", "topic");
            rabbit.channel().queueBind(queue, "x-orders", "placed.#");
            Message message =
                    outbox.put(Draft.json("{}").topic("orders").type("placed").key("$1 {key} \\"));
            Outcome.awaitPublished(publisher.publish(message, LoggedMessages.FIRST));
            GetResponse got = rabbit.channel().basicGet(queue, true);
            assertThat(got.getEnvelope().getExchange()).isEqualTo("x-orders");
            assertThat(got.getEnvelope().getRoutingKey()).isEqualTo("placed.of.$1 {key} \\");
        }
    }

    @Test
    void anIdleConnectionOpensNothingUntilThereIsSomethingToSend() throws Exception {
        try (Wire wire = new Wire(Rabbit.server().port());
                RabbitPublisher publisher = RabbitPublisher.to("amqp://baton@127.0.0.1:" + wire.port())
                        .timeout(Duration.ofSeconds(1))
                        .build()) {
            assertThat(publisher.target()).contains("default exchange").contains("{topic}");
            assertThat(wire.connections()).isZero();
        }
    }

    private static Map<String, String> texts(Map<String, Object> headers) {
        return headers.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, each -> each.getValue().toString()));
    }
}
