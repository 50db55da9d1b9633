package org.pgbaton.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.GetResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** What consumers get, byte for byte, and in which order. */
@BatonTest
class WhatArrivesTest {

    @Test
    void bytesAndHeadersAreAsTheyWereWritten(TestDatabase database) throws Exception {
        try (Outbox outbox = new Outbox(database);
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
            Rabbit.awaitPublished(publisher.publish(message, new Delivery("relay", "", 1L << 40, 3)));

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
        try (Outbox outbox = new Outbox(database);
                Rabbit rabbit = Rabbit.open();
                RabbitPublisher publisher =
                        RabbitPublisher.to(Rabbit.server().uri()).build()) {
            String queue = rabbit.queue();
            for (byte[] each : List.of(all, new byte[0], large)) {
                Message message =
                        outbox.put(Draft.bytes(each).topic(queue).headers(Map.of("content-type", "image/png")));
                Rabbit.awaitPublished(publisher.publish(message, Outbox.FIRST));
                GetResponse got = rabbit.channel().basicGet(queue, true);
                assertThat(got.getBody()).isEqualTo(each);
                assertThat(got.getProps().getContentType()).isEqualTo("image/png");
                assertThat(got.getProps().getType()).isNull();
            }
        }
    }

    @Test
    void exchangeAndRoutingKeyAreMadeOfTheMessage(TestDatabase database) throws Exception {
        try (Outbox outbox = new Outbox(database);
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
            Rabbit.awaitPublished(publisher.publish(message, Outbox.FIRST));
            GetResponse got = rabbit.channel().basicGet(queue, true);
            assertThat(got.getEnvelope().getExchange()).isEqualTo("x-orders");
            assertThat(got.getEnvelope().getRoutingKey()).isEqualTo("placed.of.$1 {key} \\");
        }
    }

    @Test
    void manyKeysAtOnceEachInItsOrder(TestDatabase database) throws Exception {
        int keys = 200;
        int perKey = 25;
        try (Outbox outbox = new Outbox(database);
                Rabbit rabbit = Rabbit.open();
                RabbitPublisher publisher =
                        RabbitPublisher.to(Rabbit.server().uri()).build()) {
            String queue = rabbit.queue();
            List<Message> messages = outbox.put(IntStream.range(0, keys * perKey)
                    .mapToObj(i ->
                            Draft.json("{\"n\": " + i / keys + "}").topic(queue).key("key-" + i % keys))
                    .toList());
            Map<String, List<Message>> byKey = messages.stream()
                    .collect(Collectors.groupingBy(Message::key, LinkedHashMap::new, Collectors.toList()));
            // As a relay does it: the next one of a key when the one before is confirmed.
            List<CompletableFuture<?>> all = new ArrayList<>();
            for (List<Message> ofOneKey : byKey.values()) {
                CompletableFuture<?> chain = CompletableFuture.completedFuture(null);
                for (Message each : ofOneKey) {
                    chain = chain.thenCompose(before -> publisher.publish(each, Outbox.FIRST));
                }
                all.add(chain);
            }
            Rabbit.awaitPublished(CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new)));

            Map<String, List<String>> arrived = new HashMap<>();
            for (GetResponse each : rabbit.drain(queue)) {
                arrived.computeIfAbsent(Rabbit.key(each), k -> new ArrayList<>())
                        .add(each.getProps().getMessageId());
            }
            assertThat(arrived).hasSize(keys);
            byKey.forEach((key, sent) -> assertThat(arrived.get(key))
                    .containsExactlyElementsOf(
                            sent.stream().map(each -> each.id().toString()).toList()));
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
