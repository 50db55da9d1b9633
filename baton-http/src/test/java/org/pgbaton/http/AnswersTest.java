package org.pgbaton.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import okio.Buffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

class AnswersTest {
    private final MockWebServer server = new MockWebServer();
    private WebhookPublisher publisher;

    @BeforeEach
    void start() throws IOException {
        server.start();
        publisher = WebhookPublisher.to(server.url("/hook").uri())
                .allowPrivate(true)
                .build();
    }

    @AfterEach
    void stop() {
        publisher.close();
        server.close();
    }

    private HandlerException answered(MockResponse.Builder answer) throws Exception {
        server.enqueue(answer.build());
        HandlerException failure = Sending.failureOf(publisher);
        assertThat(failure.getMessage()).startsWith(publisher.target());
        assertThat(failure.getCause()).isNull();
        return failure;
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 201, 202, 204, 206, 299})
    void twoHundredAndSoOnIsPublished(int status) throws Exception {
        server.enqueue(new MockResponse.Builder().code(status).build());
        Sending.published(Sending.publish(publisher, Sending.anyMessage()));
    }

    @Test
    void noContentWithContentIsPublishedToo() throws Exception {
        server.enqueue(new MockResponse.Builder().code(204).body("surprise").build());
        Sending.published(Sending.publish(publisher, Sending.anyMessage()));
    }

    @ParameterizedTest
    @CsvSource({
        "400, PARK",
        "413, PARK",
        "414, PARK",
        "415, PARK",
        "422, PARK",
        "431, PARK",
        "101, OUTAGE",
        "401, OUTAGE",
        "402, OUTAGE",
        "403, OUTAGE",
        "404, OUTAGE",
        "405, OUTAGE",
        "407, OUTAGE",
        "418, OUTAGE",
        "429, OUTAGE",
        "451, OUTAGE",
        "499, OUTAGE",
        "502, OUTAGE",
        "503, OUTAGE",
        "504, OUTAGE",
        "409, RETRY",
        "425, RETRY",
        "500, RETRY",
        "501, RETRY",
        "505, RETRY",
        "507, RETRY",
        "599, RETRY",
        "410, STOP",
        "300, STOP",
        "301, STOP",
        "302, STOP",
        "303, STOP",
        "304, STOP",
        "307, STOP",
        "308, STOP",
    })
    void aStatusHasAVerdict(int status, Verdict verdict) throws Exception {
        HandlerException failure = answered(new MockResponse.Builder().code(status));

        assertThat(failure.verdict()).isEqualTo(verdict);
        assertThat(failure).hasMessageContaining(Integer.toString(status));
        assertThat(failure.pause()).isZero();
    }

    @Test
    void aRequestThatTookTheEndpointTooLongIsTriedAgain() throws Exception {
        // The client itself tries once more: some servers say this to a connection that was idle.
        server.enqueue(new MockResponse.Builder().code(408).build());
        assertThat(answered(new MockResponse.Builder().code(408)).verdict()).isEqualTo(Verdict.RETRY);
    }

    @ParameterizedTest
    @CsvSource({
        "429, 30, 30",
        "503, 30, 30",
        "503, ' 5 ', 5",
        "429, 3600, 3600",
        "429, 86400, 3600",
        "503, 99999999999999999999, 3600",
        "503, -5, 0",
        "503, soon, 0",
        "429, 0, 0",
        "500, 30, 0",
        "502, 30, 0",
    })
    void thePauseThatIsAskedForIsKept(int status, String asked, long seconds) throws Exception {
        HandlerException failure =
                answered(new MockResponse.Builder().code(status).addHeader("Retry-After", asked));

        assertThat(failure.pause()).isEqualTo(Duration.ofSeconds(seconds));
    }

    @Test
    void aPauseOfNothingIsLeftToTheRelay() throws Exception {
        answered(new MockResponse.Builder().code(503).addHeader("Retry-After", "0"));
        assertThat(server.getRequestCount()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"90, 80, 90", "-90, 0, 0", "7200, 3600, 3600"})
    void aPauseMayBeADate(long ahead, long least, long most) throws Exception {
        String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(
                Instant.now().plusSeconds(ahead).atOffset(ZoneOffset.UTC));
        HandlerException failure = answered(new MockResponse.Builder().code(429).addHeader("Retry-After", date));

        assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
        assertThat(failure.pause()).isBetween(Duration.ofSeconds(least), Duration.ofSeconds(most));
    }

    @Test
    void aRedirectIsNotFollowedAndItsHostIsNamed() throws Exception {
        try (MockWebServer elsewhere = new MockWebServer()) {
            elsewhere.start();
            HandlerException failure = answered(new MockResponse.Builder()
                    .code(307)
                    .addHeader("Location", "http://LOCALHOST:" + elsewhere.getPort() + "/x?key=hidden"));

            assertThat(failure.verdict()).isEqualTo(Verdict.STOP);
            assertThat(failure).hasMessageContaining("localhost").hasMessageContaining("resume");
            assertThat(failure.getMessage()).doesNotContain("hidden");
            assertThat(elsewhere.getRequestCount()).isZero();
            assertThat(server.getRequestCount()).isEqualTo(1);
        }
    }

    @Test
    void whatTheEndpointSaysIsShownInOneShortLine() throws Exception {
        HandlerException failure = answered(new MockResponse.Builder()
                .code(422)
                .body("no\tsuch\u0000 account:\r\n\u001b[31m \u202Ez " + "x".repeat(100_000)));

        assertThat(failure.getMessage())
                .startsWith(publisher.target() + " refuses this message (422): no such account: [31m z xxx")
                .hasSizeLessThan(publisher.target().length() + 240)
                .endsWith("x…");
    }

    @Test
    void whatIsNoTextIsShownAsSuch() throws Exception {
        HandlerException failure =
                answered(new MockResponse.Builder().code(500).body(new Buffer().write(new byte[] {-1, -2, 'o', 'k'})));

        assertThat(failure).hasMessageEndingWith(": \uFFFD\uFFFDok");
    }

    @ParameterizedTest
    @CsvSource({"422, PARK", "500, RETRY", "429, OUTAGE"})
    void aBodyOfLessThanNothingStillHasItsStatus(int status, Verdict verdict) throws Exception {
        try (RawServer rude = answering("HTTP/1.1 " + status + " No\r\nContent-Length: -4\r\n\r\nwait");
                WebhookPublisher toRude =
                        WebhookPublisher.to(rude.url()).allowPrivate(true).build()) {
            assertThat(Sending.failureOf(toRude).verdict()).isEqualTo(verdict);
        }
    }

    @Test
    void whatWasTakenIsPublishedWhateverTheLengthOfTheAnswer() throws Exception {
        try (RawServer rude = answering("HTTP/1.1 200 OK\r\nContent-Length: -4\r\n\r\nok");
                WebhookPublisher toRude =
                        WebhookPublisher.to(rude.url()).allowPrivate(true).build()) {
            Sending.published(Sending.publish(toRude, Sending.anyMessage()));
        }
    }

    @Test
    void aStatusBelowNothingIsAnOutage() throws Exception {
        try (RawServer rude = answering("HTTP/1.1 -17 No\r\n\r\n");
                WebhookPublisher toRude =
                        WebhookPublisher.to(rude.url()).allowPrivate(true).build()) {
            HandlerException failure = Sending.failureOf(toRude);
            assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
            assertThat(failure).hasMessageEndingWith("cannot be reached: ProtocolException: the answer makes no sense");
        }
    }

    @Test
    void aRedirectToAHostThatRepeatsASecretIsToldWithoutIt() throws Exception {
        try (WebhookPublisher secretive = WebhookPublisher.to(
                        server.url("/hook?key=Hidden-Key").uri())
                .allowPrivate(true)
                .build()) {
            server.enqueue(new MockResponse.Builder()
                    .code(307)
                    .addHeader("Location", "https://x.Hidden-Key.example/")
                    .build());
            assertThat(Sending.failureOf(secretive)).hasMessageContaining("sends us on to x.***.example (307)");
        }
    }

    private static RawServer answering(String answer) throws IOException {
        return new RawServer(connection -> {
            connection.readRequest();
            connection.write(answer);
        });
    }
}
