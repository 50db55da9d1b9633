package org.pgbaton.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.cloudevents.CloudEvent;
import io.cloudevents.http.HttpMessageFactory;
import java.net.URI;
import java.net.URLDecoder;
import java.util.Map;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import org.junit.jupiter.api.Test;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/** Receivers read requests as CloudEvents, with the library of the CloudEvents project. */
class CloudEventsTest {
    private static RecordedRequest arrived(Message message) throws Exception {
        try (MockWebServer server = new MockWebServer()) {
            server.start();
            server.enqueue(new MockResponse.Builder().build());
            try (WebhookPublisher publisher = here(server)) {
                Sending.published(Sending.publish(publisher, message));
            }
            return server.takeRequest();
        }
    }

    private static WebhookPublisher here(MockWebServer server) {
        return WebhookPublisher.to(server.url("/hook").uri())
                .allowPrivate(true)
                .header("ce-type", "configured")
                .cloudEvents("/shop/a%20b")
                .build();
    }

    private static CloudEvent event(RecordedRequest request) {
        return HttpMessageFactory.createReaderFromMultimap(
                        request.getHeaders().toMultimap(), request.getBody().toByteArray())
                .toEvent();
    }

    @Test
    void aRequestIsACloudEvent() throws Exception {
        Message message = Sending.message(Draft.json("{ \"amount\": 10 }")
                .key("account-42")
                .type("Deposited")
                .headers(Map.of("ce-tenant", "7", "CE-ID", "1", "ce-time", "never")));

        CloudEvent event = event(arrived(message));

        assertThat(event.getId()).isEqualTo(message.id().toString());
        assertThat(event.getType()).isEqualTo("Deposited");
        assertThat(event.getSubject()).isEqualTo("account-42");
        assertThat(event.getTime().toInstant()).isEqualTo(message.recordedAt());
        assertThat(event.getDataContentType()).isEqualTo("application/json");
        assertThat(event.getData().toBytes()).isEqualTo(message.payload());
        assertThat(event.getExtensionNames()).containsExactly("tenant");
    }

    @Test
    void anyTextTravelsInVisibleAscii() throws Exception {
        Message message = Sending.message(Draft.json("1").topic("orders").key("Müller \"%+\n"));

        RecordedRequest request = arrived(message);

        String subject = request.getHeaders().get("ce-subject");
        assertThat(subject).isEqualTo("M%C3%BCller%20%22%25%2B%0A");
        assertThat(URLDecoder.decode(subject, UTF_8)).isEqualTo(message.key());
        assertThat(URI.create(URLDecoder.decode(request.getHeaders().get("ce-source"), UTF_8)))
                .isEqualTo(URI.create("/shop/a%20b"));
        assertThat(request.getHeaders().get("ce-type")).isEqualTo("orders");
    }

    @Test
    void aMessageWithNeitherTypeNorTopicIsParked() throws Exception {
        try (MockWebServer server = new MockWebServer()) {
            server.start();
            try (WebhookPublisher publisher = here(server)) {
                HandlerException failure = Sending.failed(Sending.publish(publisher, Sending.message(Draft.json("1"))));
                assertThat(failure.verdict()).isEqualTo(Verdict.PARK);
                assertThat(failure).hasMessageContaining("has neither type nor topic");
            }
        }
    }
}
