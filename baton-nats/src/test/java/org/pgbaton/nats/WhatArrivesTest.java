package org.pgbaton.nats;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
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

/** Consumers get the messages byte for byte and in order. */
@BatonTest
class WhatArrivesTest {

    @Test
    void bytesAndHeadersAreAsTheyWereWritten(TestDatabase database) throws Exception {
        try (LoggedMessages outbox = new LoggedMessages(database);
                JetStreams streams = JetStreams.open();
                NatsPublisher publisher =
                        NatsPublisher.to(JetStreams.server().url()).build()) {
            String stream = streams.stream();
            String text = "{ \"b\" : 1,\n \"a\":  \"Grüße \uD83D\uDE80\" }";
            Message message = outbox.put(Draft.json(text)
                    .topic(stream)
                    .key("Konto 42/ü%+\n")
                    .type("Deposited")
                    .headersJson("""
                            {"traceparent": "00-abc-def-01", "n": 12, "percent": "100% or +1", "greeting": "Grüße",
                             "baton-key": "not this", "Nats-Rollup": "all", "content-type": "application/vnd.x+json"}"""));
            Outcome.awaitPublished(publisher.publish(message, new Delivery("relay", "", 1L << 40, 3)));

            io.nats.client.Message got = streams.read(stream).get(0);
            assertThat(new String(got.getData(), StandardCharsets.UTF_8)).isEqualTo(text);
            Map<String, String> headers = got.getHeaders().keySet().stream()
                    .collect(Collectors.toMap(name -> name, name -> JetStreams.header(got, name)));
            assertThat(headers)
                    .isEqualTo(Map.ofEntries(
                            Map.entry("Nats-Msg-Id", message.id().toString()),
                            Map.entry("content-type", "application/vnd.x+json"),
                            Map.entry("traceparent", "00-abc-def-01"),
                            Map.entry("n", "12"),
                            Map.entry("percent", "100% or +1"),
                            Map.entry("greeting", "Gr%C3%BC%C3%9Fe"),
                            Map.entry("baton-topic", stream),
                            Map.entry("baton-key", "Konto%2042/%C3%BC%25%2B%0A"),
                            Map.entry("baton-type", "Deposited"),
                            Map.entry("baton-subscription", "relay"),
                            Map.entry("baton-position", Long.toString(message.position())),
                            Map.entry("baton-epoch", Long.toString(1L << 40)),
                            Map.entry("baton-attempt", "3")));
            assertThat(URLDecoder.decode(JetStreams.header(got, "baton-key"), StandardCharsets.UTF_8))
                    .isEqualTo(message.key());
        }
    }

    @Test
    void anyBytesPassAlsoNone(TestDatabase database) throws Exception {
        byte[] all = new byte[100_000];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        try (LoggedMessages outbox = new LoggedMessages(database);
                JetStreams streams = JetStreams.open();
                NatsPublisher publisher =
                        NatsPublisher.to(JetStreams.server().url()).build()) {
            String stream = streams.stream();
            for (byte[] each : List.of(all, new byte[0])) {
                Message message = outbox.put(Draft.bytes(each).topic(stream));
                Outcome.awaitPublished(publisher.publish(message, LoggedMessages.FIRST));
            }
            List<io.nats.client.Message> got = streams.read(stream);
            assertThat(got.get(0).getData()).isEqualTo(all);
            assertThat(got.get(1).getData()).isEmpty();
            assertThat(JetStreams.header(got.get(0), "content-type")).isEqualTo("application/octet-stream");
        }
    }

    @Test
    void subjectsAreMadeOfTheMessageInAnyScript(TestDatabase database) throws Exception {
        try (LoggedMessages outbox = new LoggedMessages(database);
                JetStreams streams = JetStreams.open();
                NatsPublisher publisher = NatsPublisher.to(JetStreams.server().url())
                        .subject("shop.{topic}.{type}.{key}")
                        .build()) {
            streams.add("shop", "shop.>");
            Message message = outbox.put(
                    Draft.json("{}").topic("orders.eu").type("placed").key("Müller$1\\\"{key}"));
            Outcome.awaitPublished(publisher.publish(message, LoggedMessages.FIRST));
            assertThat(streams.read("shop").get(0).getSubject()).isEqualTo("shop.orders.eu.placed.Müller$1\\\"{key}");
            streams.delete("shop");
        }
    }

    @Test
    void theSameMessageAgainIsPublishedAndKeptOnce(TestDatabase database) throws Exception {
        try (LoggedMessages outbox = new LoggedMessages(database);
                JetStreams streams = JetStreams.open();
                NatsPublisher publisher =
                        NatsPublisher.to(JetStreams.server().url()).build()) {
            String stream = streams.stream();
            Message message = outbox.put(Draft.json("{}").topic(stream));
            for (int attempt = 1; attempt <= 3; attempt++) {
                Outcome.awaitPublished(publisher.publish(message, new Delivery("relay", "", 7, attempt)));
            }
            assertThat(streams.count(stream)).isEqualTo(1);
        }
    }
}
