package org.pgbaton.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.function.UnaryOperator;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import okhttp3.Headers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/** Tests of what is special to Slack. The rest is the same as for webhooks. */
@Timeout(30)
class SlackTest {
    private static final String PATH = "/services/T0001/B0002/s3cr3tTokenOfTheHook";

    private final MockWebServer slack = new MockWebServer();

    @BeforeEach
    void start() throws IOException {
        slack.start();
    }

    @AfterEach
    void stop() {
        slack.close();
    }

    private URI url() {
        return URI.create("http://127.0.0.1:" + slack.getPort() + PATH);
    }

    private static SlackPublisher.Builder to(URI url) {
        return SlackPublisher.to(url).allowPrivate(true).timeout(Duration.ofMillis(500));
    }

    private static Message message() {
        return Sending.message(Draft.json("\"<!channel> & \\\"all\\\" \ud83d\ude00\"")
                .key("secret-key-7")
                .topic("payments")
                .headers(java.util.Map.of("x-trace", "abc")));
    }

    private RecordedRequest sent(UnaryOperator<SlackPublisher.Builder> with) throws Exception {
        slack.enqueue(new MockResponse.Builder().code(200).body("ok").build());
        try (SlackPublisher publisher = with.apply(to(url())).build()) {
            Sending.published(publisher.publish(message(), new Delivery("hooks", "", 7, 1)));
        }
        return slack.takeRequest();
    }

    @Test
    void aMessageIsATextThatCallsNobody() throws Exception {
        RecordedRequest request = sent(builder -> builder);

        assertThat(request.getTarget()).isEqualTo(PATH);
        assertThat(request.getBody().utf8())
                .isEqualTo("{\"text\":\"\\\"&lt;!channel&gt; &amp; \\\\\\\"all\\\\\\\" \\ud83d\\ude00\\\"\"}");
        Headers headers = request.getHeaders();
        assertThat(headers.get("content-type")).isEqualTo("application/json");
        assertThat(headers.names()).noneMatch(name -> name.startsWith("baton") || name.startsWith("x-"));
    }

    @Test
    void theTextCanBeOnesOwnAndIsCutWhereSlackWouldCutIt() throws Exception {
        assertThat(sent(builder -> builder.text(message -> "*Limit* of " + message.key() + "\n\t\u0001"))
                        .getBody()
                        .utf8())
                .isEqualTo("{\"text\":\"*Limit* of secret-key-7\\u000a\\u0009\\u0001\"}");
        assertThat(sent(builder -> builder.text(message -> "x".repeat(50_000)))
                        .getBody()
                        .utf8())
                .hasSize(39_000 + "{\"text\":\"…\"}".length());
    }

    @Test
    void aTextThatCannotBeMadeIsItsFailure() {
        HandlerException wrong = new HandlerException(Verdict.PARK, "no such column");
        try (SlackPublisher publisher = to(url())
                .text(message -> {
                    throw wrong;
                })
                .build()) {
            assertThat(publisher.publish(message(), new Delivery("hooks", "", 7, 1)))
                    .isCompletedExceptionally();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "400, PARK, refuses this message (400)",
        "403, OUTAGE, answers 403",
        "404, OUTAGE, answers 404",
        "410, STOP, is gone (410)",
        "429, OUTAGE, asks for a pause of 7 s",
        "500, RETRY, failed (500)",
        "302, STOP, redirects are not followed",
    })
    void answersMeanWhatTheyMeanFromAWebhookAndShowNoPartOfTheUrl(int status, Verdict verdict, String says)
            throws Exception {
        slack.enqueue(new MockResponse.Builder()
                .code(status)
                .addHeader("Retry-After", "7")
                .addHeader("Location", url())
                .body("no_service at " + PATH + ", token s3cr3tTokenOfTheHook of B0002")
                .build());
        try (SlackPublisher publisher = to(url()).build()) {
            HandlerException failure = Sending.failed(publisher.publish(message(), new Delivery("hooks", "", 7, 1)));

            assertThat(failure.verdict()).isEqualTo(verdict);
            assertThat(failure).hasMessageContaining(says).hasMessageStartingWith("Slack at 127.0.0.1 ");
            assertThat(failure.getMessage() + publisher + publisher.target())
                    .doesNotContain("services", "T0001", "B0002", "s3cr3t");
            assertThat(failure.pause()).isEqualTo(status == 429 ? Duration.ofSeconds(7) : Duration.ZERO);
        }
    }

    @Test
    void whatHangsResetsOrNeverEndsEndsInTime() throws Exception {
        expect(RawServer.Connection::holdStill, Verdict.RETRY, "did not answer within 500 ms");
        expect(RawServer.Connection::reset, Verdict.OUTAGE, "cannot be reached");
        expect(
                connection -> {
                    connection.readRequest();
                    connection.write("HTTP/1.1 500 Oops\r\nContent-Length: 100000000\r\n\r\n");
                    while (true) {
                        connection.write("y".repeat(10_000));
                    }
                },
                Verdict.RETRY,
                "failed (500): yyy");
    }

    private static void expect(RawServer.Conversation conversation, Verdict verdict, String says) throws Exception {
        try (RawServer server = new RawServer(conversation);
                SlackPublisher publisher = to(server.url()).build()) {
            HandlerException failure = Sending.failed(publisher.publish(message(), new Delivery("hooks", "", 7, 1)));
            assertThat(failure.verdict()).isEqualTo(verdict);
            assertThat(failure).hasMessageContaining(says);
        }
    }

    @Test
    void anAddressThatIsNotAllowedIsRefusedWithoutThePath() {
        assertThatThrownBy(() -> SlackPublisher.to(url()).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("over plain http is refused")
                .hasMessageNotContaining("services");
        assertThatThrownBy(() ->
                        SlackPublisher.to(URI.create("https://10.0.0.1" + PATH)).build())
                .hasMessageContaining("private")
                .hasMessageNotContaining("services");
        assertThatThrownBy(() -> SlackPublisher.to(URI.create("https://169.254.169.254" + PATH))
                        .allowPrivate(true)
                        .build())
                .hasMessageContaining("never allowed");
    }
}
