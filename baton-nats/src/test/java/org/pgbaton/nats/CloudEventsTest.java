package org.pgbaton.nats;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudevents.CloudEvent;
import io.cloudevents.http.HttpMessageFactory;
import java.net.URI;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.publisher.LoggedMessages;
import org.pgbaton.testkit.publisher.Outcome;

/** Consumers read messages as CloudEvents. NATS's headers are those of HTTP, and so is the library that reads them here. */
@BatonTest
class CloudEventsTest {
    @Test
    void aMessageIsACloudEvent(TestDatabase database) throws Exception {
        try (LoggedMessages outbox = new LoggedMessages(database);
                JetStreams streams = JetStreams.open();
                NatsPublisher publisher = NatsPublisher.to(JetStreams.server().url())
                        .cloudEvents("/shop/orders")
                        .build()) {
            String stream = streams.stream();
            Message message = outbox.put(Draft.json("{ \"amount\": 10 }")
                    .topic(stream)
                    .key("account-42")
                    .type("Deposited")
                    .headersJson("{\"ce-tenant\": \"7\", \"ce-id\": \"1\", \"Ce-Source\": \"/bank\"}"));
            Outcome.awaitPublished(publisher.publish(message, LoggedMessages.FIRST));
            Message other = outbox.put(Draft.json("1").topic(stream).key("a\"ü %"));
            Outcome.awaitPublished(publisher.publish(other, LoggedMessages.FIRST));

            io.nats.client.Message got = streams.read(stream).get(0);
            Map<String, String> headers = got.getHeaders().keySet().stream()
                    .collect(Collectors.toMap(name -> name, name -> JetStreams.header(got, name)));
            CloudEvent event =
                    HttpMessageFactory.createReader(headers, got.getData()).toEvent();
            assertThat(event.getId()).isEqualTo(message.id().toString());
            assertThat(event.getSource()).isEqualTo(URI.create("/shop/orders"));
            assertThat(event.getType()).isEqualTo("Deposited");
            assertThat(event.getSubject()).isEqualTo("account-42");
            assertThat(event.getTime().toInstant()).isEqualTo(message.recordedAt());
            assertThat(event.getDataContentType()).isEqualTo("application/json");
            assertThat(event.getData().toBytes()).isEqualTo(message.payload());
            assertThat(event.getExtensionNames()).containsExactly("tenant");

            io.nats.client.Message second = streams.read(stream).get(1);
            assertThat(JetStreams.header(second, "ce-subject")).isEqualTo("a%22%C3%BC%20%25");
            assertThat(JetStreams.header(second, "ce-type")).isEqualTo(stream);
        }
    }
}
