package org.pgbaton.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.pgbaton.kafka.broker.TestBroker;
import org.pgbaton.kafka.client.Records;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;

/** What consumers get, byte for byte, and in which order. */
class WhatArrivesTest {
    private final TestBroker broker = TestBroker.shared();

    @Test
    void bytesAndHeadersAreAsTheyWereWritten() throws Exception {
        String topic = broker.topics().create(3);
        String text = "{ \"b\" : 1,\n \"a\":  \"Grüße \uD83D\uDE80\" }";
        Message message = Outbox.put(
                Draft.json(text)
                        .topic(topic)
                        .key("Konto 42/ü")
                        .type("Deposited")
                        .headersJson(
                                "{\"traceparent\": \"00-abc-def-01\", \"n\": 12, \"ü\": \"Ö\", \"baton-id\": \"not this\", \"baton-x\": \"nor this\"}"));
        try (KafkaPublisher publisher =
                KafkaPublisher.to(broker.bootstrapServers()).build()) {
            Outbox.published(publisher.publish(message, new Delivery("relay", "", 1L << 40, 3)));
        }

        List<ConsumerRecord<byte[], byte[]>> arrived = broker.topics().committed(topic);
        assertThat(arrived).hasSize(1);
        assertThat(Outbox.value(arrived.get(0))).isEqualTo(text);
        assertThat(Records.text(arrived.get(0).key())).isEqualTo("Konto 42/ü");
        assertThat(headers(arrived.get(0)))
                .isEqualTo(Map.of(
                        "content-type", List.of("application/json"),
                        "traceparent", List.of("00-abc-def-01"),
                        "n", List.of("12"),
                        "ü", List.of("Ö"),
                        "baton-id", List.of(message.id().toString()),
                        "baton-position", List.of(Long.toString(message.position())),
                        "baton-epoch", List.of(Long.toString(1L << 40)),
                        "baton-attempt", List.of("3"),
                        "baton-type", List.of("Deposited")));
    }

    @Test
    void anyBytesPassAlsoNoneAndAlmostAMegabyte() throws Exception {
        String topic = broker.topics().create(1);
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        byte[] large = new byte[1_000_000];
        large[999_999] = 1;
        List<byte[]> sent = List.of(all, new byte[0], large);
        try (KafkaPublisher publisher =
                KafkaPublisher.to(broker.bootstrapServers()).build()) {
            for (byte[] each : sent) {
                Message message =
                        Outbox.put(Draft.bytes(each).topic(topic).headers(Map.of("content-type", "image/png")));
                Outbox.published(publisher.publish(message, Outbox.FIRST));
            }
        }

        List<ConsumerRecord<byte[], byte[]>> arrived = broker.topics().committed(topic);
        assertThat(arrived).extracting(ConsumerRecord::value).containsExactlyElementsOf(sent);
        assertThat(arrived).allSatisfy(each -> {
            assertThat(Outbox.header(each, "content-type")).isEqualTo("image/png");
            assertThat(each.headers().lastHeader("baton-type")).isNull();
            assertThat(each.key()).as("no key was given").isNull();
        });
    }

    @Test
    void oneTopicForAllIfThatIsWanted() throws Exception {
        String topic = broker.topics().create(1);
        try (KafkaPublisher publisher =
                KafkaPublisher.to(broker.bootstrapServers()).topic(topic).build()) {
            assertThat(publisher.target()).contains(broker.bootstrapServers()).contains(topic);
            Outbox.published(publisher.publish(Outbox.put("another", "a", "1"), Outbox.FIRST));
            Outbox.published(publisher.publish(Outbox.put(Draft.json("2")), Outbox.FIRST));
        }
        assertThat(broker.topics().committed(topic)).hasSize(2);
    }

    @Test
    void manyKeysAtOnceEachInItsOrder() throws Exception {
        int keys = 200;
        int perKey = 25;
        String topic = broker.topics().create(4);
        List<Message> messages = Outbox.put(IntStream.range(0, keys * perKey)
                .mapToObj(
                        i -> Draft.json(Integer.toString(i / keys)).topic(topic).key("key-" + i % keys))
                .toList());
        Map<String, List<Message>> byKey =
                messages.stream().collect(Collectors.groupingBy(Message::key, LinkedHashMap::new, Collectors.toList()));
        try (KafkaPublisher publisher =
                KafkaPublisher.to(broker.bootstrapServers()).build()) {
            // As a relay does it: the next one of a key when the one before is confirmed.
            List<CompletableFuture<?>> all = new ArrayList<>();
            for (List<Message> ofOneKey : byKey.values()) {
                CompletableFuture<?> chain = CompletableFuture.completedFuture(null);
                for (Message each : ofOneKey) {
                    chain = chain.thenCompose(before -> publisher.publish(each, Outbox.FIRST));
                }
                all.add(chain);
            }
            Outbox.published(CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new)));
        }

        Map<String, List<String>> arrived = new HashMap<>();
        Map<String, Set<Integer>> partitions = new HashMap<>();
        for (ConsumerRecord<byte[], byte[]> each : broker.topics().committed(topic)) {
            String key = Records.text(each.key());
            arrived.computeIfAbsent(key, k -> new ArrayList<>()).add(Outbox.id(each));
            partitions.computeIfAbsent(key, k -> new HashSet<>()).add(each.partition());
        }
        byKey.forEach((key, sent) -> assertThat(arrived.get(key))
                .containsExactlyElementsOf(
                        sent.stream().map(each -> each.id().toString()).toList()));
        assertThat(partitions.values()).allSatisfy(each -> assertThat(each).hasSize(1));
        assertThat(partitions.values().stream().flatMap(Set::stream).collect(Collectors.toSet()))
                .hasSize(4);
    }

    private static Map<String, List<String>> headers(ConsumerRecord<byte[], byte[]> arrived) {
        Map<String, List<String>> headers = new HashMap<>();
        arrived.headers()
                .forEach(header -> headers.computeIfAbsent(header.key(), name -> new ArrayList<>())
                        .add(Records.text(header.value())));
        return headers;
    }
}
