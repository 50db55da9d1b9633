package org.pgbaton.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.standardwebhooks.Webhook;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import okhttp3.Headers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

class WhatArrivesTest {
    private final MockWebServer server = new MockWebServer();

    @BeforeEach
    void start() throws IOException {
        server.start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private WebhookPublisher.Builder here() {
        return WebhookPublisher.to(server.url("/hook?token=abcdef").uri()).allowPrivate(true);
    }

    private RecordedRequest arrived(WebhookPublisher.Builder builder, Message message) throws Exception {
        server.enqueue(new MockResponse.Builder().build());
        try (WebhookPublisher publisher = builder.build()) {
            Sending.published(publisher.publish(message, new Delivery("hooks", "", 12884901889L, 3)));
        }
        return server.takeRequest();
    }

    @Test
    void aMessageArrivesWithEverythingThatIdentifiesIt() throws Exception {
        Message message = Sending.message(Draft.json("{ \"amount\" : 10 }\n")
                .key("account-42")
                .topic("payments")
                .type("Deposited")
                .headers(Map.of(
                        "traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "tenant", "7")));
        RecordedRequest request = arrived(here(), message);
        Headers headers = request.getHeaders();

        assertThat(request.getMethod()).isEqualTo("POST");
        assertThat(request.getTarget()).isEqualTo("/hook?token=abcdef");
        assertThat(request.getBody().utf8()).isEqualTo("{ \"amount\" : 10 }\n");
        assertThat(headers.get("content-type")).isEqualTo("application/json");
        assertThat(headers.get("webhook-id")).isEqualTo(message.id().toString());
        assertThat(Instant.ofEpochSecond(Long.parseLong(headers.get("webhook-timestamp"))))
                .isBetween(Instant.now().minusSeconds(20), Instant.now());
        assertThat(headers.get("webhook-signature")).isNull();
        assertThat(headers.get("baton-key")).isEqualTo("account-42");
        assertThat(headers.get("baton-topic")).isEqualTo("payments");
        assertThat(headers.get("baton-type")).isEqualTo("Deposited");
        assertThat(headers.get("baton-position")).isEqualTo(Long.toString(message.position()));
        assertThat(headers.get("baton-epoch")).isEqualTo("12884901889");
        assertThat(headers.get("baton-attempt")).isEqualTo("3");
        assertThat(headers.get("baton-subscription")).isEqualTo("hooks");
        assertThat(headers.get("traceparent")).isEqualTo("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
        assertThat(headers.get("tenant")).isEqualTo("7");
    }

    @Test
    void bytesArriveAsTheyAreAndAreSignedAsTheyAre() throws Exception {
        byte[] body = new byte[256];
        for (int i = 0; i < body.length; i++) {
            body[i] = (byte) i;
        }
        RecordedRequest request = arrived(here().secret(Sending.SECRET), Sending.message(Draft.bytes(body)));

        assertThat(request.getBody().toByteArray()).isEqualTo(body);
        assertThat(request.getHeaders().get("content-type")).isEqualTo("application/octet-stream");
        assertThat(request.getHeaders().get("webhook-signature")).hasSize(3 + 44);
        assertThat(isGenuine(request, Sending.SECRET)).isTrue();
        assertThat(isGenuine(request, Sending.NEW_SECRET)).isFalse();
    }

    @Test
    void noBytesAtAllAreAMessageToo() throws Exception {
        RecordedRequest request = arrived(here().secret(Sending.SECRET), Sending.message(Draft.bytes(new byte[0])));

        assertThat(request.getBody().size()).isZero();
        assertThat(isGenuine(request, Sending.SECRET)).isTrue();
    }

    @Test
    void anotherLibrarySignsTheSame() throws Exception {
        RecordedRequest request = arrived(
                here().secret(Sending.SECRET), Sending.message(Draft.json("{\"to\": \"Zoë\", \"sum\": \"10 €\"}")));

        assertThat(request.getHeaders().get("webhook-signature")).isEqualTo(signedElsewhere(request, Sending.SECRET));
    }

    @Test
    void whileSecretsChangeBothSign() throws Exception {
        RecordedRequest request = arrived(
                here().secret(Sending.NEW_SECRET).secret(Sending.SECRET), Sending.message(Draft.json("{\"n\": 1}")));

        assertThat(request.getHeaders().get("webhook-signature"))
                .isEqualTo(
                        signedElsewhere(request, Sending.NEW_SECRET) + " " + signedElsewhere(request, Sending.SECRET));
        assertThat(isGenuine(request, Sending.SECRET)).isTrue();
        assertThat(isGenuine(request, Sending.NEW_SECRET)).isTrue();
        assertThat(isGenuine(request, "whsec_" + Sending.base64("a secret that nobody has given us")))
                .isFalse();
    }

    /** By the library of Standard Webhooks, which takes text only. */
    private static String signedElsewhere(RecordedRequest request, String secret) throws Exception {
        return new Webhook(secret)
                .sign(
                        request.getHeaders().get("webhook-id"),
                        Long.parseLong(request.getHeaders().get("webhook-timestamp")),
                        request.getBody().utf8());
    }

    private static boolean isGenuine(RecordedRequest request, String secret) throws GeneralSecurityException {
        return isGenuine(request.getHeaders()::get, request.getBody().toByteArray(), secret);
    }

    /** The example of docs/webhooks.md. */
    private static boolean isGenuine(Function<String, String> header, byte[] body, String secret)
            throws GeneralSecurityException {
        String timestamp = header.apply("webhook-timestamp");
        Duration age = Duration.between(Instant.ofEpochSecond(Long.parseLong(timestamp)), Instant.now());
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.substring("whsec_".length())), "HmacSHA256"));
        mac.update((header.apply("webhook-id") + "." + timestamp + ".").getBytes(UTF_8));
        byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(UTF_8);
        return age.abs().toMinutes() < 5
                && Stream.of(header.apply("webhook-signature").split(" "))
                        .anyMatch(signature -> MessageDigest.isEqual(signature.getBytes(UTF_8), expected));
    }

    @Test
    void theExampleInPythonAcceptsTheSignature() throws Exception {
        String guide = Files.readString(Path.of("../docs/webhooks.md"));
        int start = guide.indexOf("```python") + "```python".length();
        String example = guide.substring(start, guide.indexOf("```", start));
        RecordedRequest request = arrived(
                here().secret(Sending.NEW_SECRET).secret(Sending.SECRET),
                Sending.message(Draft.bytes(new byte[] {0, -1, 10})));
        StringBuilder program = new StringBuilder(example).append("\nheaders = {}\n");
        for (String name : new String[] {"webhook-id", "webhook-timestamp", "webhook-signature"}) {
            program.append("headers['" + name + "'] = '" + request.getHeaders().get(name) + "'\n");
        }
        program.append("body = bytes([0, 255, 10])\n");
        program.append("print(is_genuine(headers, body, '" + Sending.SECRET + "'), ");
        program.append("is_genuine(headers, body + b'x', '" + Sending.SECRET + "'))\n");

        Process python;
        try {
            python = new ProcessBuilder("python3", "-c", program.toString())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException missing) {
            Assumptions.abort("There is no python3 here.");
            return;
        }
        assertThat(new String(python.getInputStream().readAllBytes(), UTF_8).strip())
                .isEqualTo("True False");
    }

    @Test
    void whatHttpCannotCarryIsPercentEncoded() throws Exception {
        String odd = "Zoë 100% a+b\r\nx: y\t€😀";
        Message message = Sending.message(Draft.json("{}")
                .key(odd)
                .topic(odd)
                .type(odd)
                .headers(Map.of("note", odd, "plain", "100% a+b", "blank", " x", "empty", "", "bell", "\u0007")));
        Headers headers = arrived(here(), message).getHeaders();

        assertThat(headers.get("baton-key")).isEqualTo("Zo%C3%AB%20100%25%20a%2Bb%0D%0Ax:%20y%09%E2%82%AC%F0%9F%98%80");
        for (String name : new String[] {"baton-key", "baton-topic", "baton-type", "note"}) {
            assertThat(URLDecoder.decode(headers.get(name), UTF_8)).isEqualTo(odd);
        }
        assertThat(headers.get("plain")).isEqualTo("100% a+b");
        assertThat(headers.get("blank")).isEqualTo("%20x");
        assertThat(headers.get("empty")).isEmpty();
        assertThat(headers.get("bell")).isEqualTo("%07");
        assertThat(headers.get("x")).isNull();
    }

    @Test
    void aMessageCannotPassItselfOffAsAnother() throws Exception {
        Message message = Sending.message(Draft.json("{}").key("k").headersJson("""
                        {"Webhook-Id": "forged", "webhook-signature": "forged", "webhook-extra": "forged", "BATON-KEY": "forged",
                         "baton-epoch": 99, "baton-topic": "forged", "Host": "forged", "Content-Length": "1000",
                         "Transfer-Encoding": "chunked", "Connection": "close", "Expect": "100-continue", "Upgrade": "h2c",
                         "Accept-Encoding": "gzip", "X-Api-Key": "forged", "count": 5, "nothing": null}"""));
        Headers headers =
                arrived(here().header("x-api-key", "configured"), message).getHeaders();

        assertThat(headers.toString()).doesNotContain("forged");
        assertThat(headers.get("content-length")).isEqualTo("2");
        assertThat(headers.names())
                .doesNotContain("Transfer-Encoding", "Expect", "Upgrade", "webhook-signature", "nothing");
        assertThat(headers.values("x-api-key")).containsExactly("configured");
        assertThat(headers.get("baton-epoch")).isEqualTo("12884901889");
        assertThat(headers.get("accept-encoding")).isEqualTo("identity");
        assertThat(headers.get("count")).isEqualTo("5");
    }

    @Test
    void aMessagesOwnContentTypeWins() throws Exception {
        Message message = Sending.message(
                Draft.json("{}").headers(Map.of("Content-Type", "application/cloudevents+json; charset=utf-8")));

        assertThat(arrived(here(), message).getHeaders().values("content-type"))
                .containsExactly("application/cloudevents+json; charset=utf-8");
    }

    @ParameterizedTest
    @ValueSource(strings = {"order id", "naïve", "a:b", "", "x\r\ny"})
    void aMessageWithAHeaderThatCannotBeIsParked(String name) throws Exception {
        try (WebhookPublisher publisher = here().build()) {
            HandlerException failure = Sending.failed(
                    Sending.publish(publisher, Sending.message(Draft.json("{}").headers(Map.of(name, "1")))));

            assertThat(failure.verdict()).isEqualTo(Verdict.PARK);
            assertThat(failure.getMessage()).matches("[^\\p{Cntrl}]{20,250}");
            assertThat(server.getRequestCount()).isZero();
        }
    }

    @Test
    void aMessageThatIsTooLargeIsParkedAndOneThatFitsIsNot() throws Exception {
        server.enqueue(new MockResponse.Builder().build());
        try (WebhookPublisher publisher = here().maxPayload(100).build()) {
            Sending.published(Sending.publish(publisher, Sending.message(Draft.bytes(new byte[100]))));
            HandlerException failure =
                    Sending.failed(Sending.publish(publisher, Sending.message(Draft.bytes(new byte[101]))));

            assertThat(failure.verdict()).isEqualTo(Verdict.PARK);
            assertThat(failure).hasMessageContaining("101").hasMessageContaining("maxPayload");
            assertThat(server.getRequestCount()).isEqualTo(1);
        }
    }

    @Test
    void aMegabyteArrivesWhole() throws Exception {
        byte[] body = new byte[1_000_000];
        new Random(1).nextBytes(body);

        RecordedRequest request = arrived(here().secret(Sending.SECRET), Sending.message(Draft.bytes(body)));
        assertThat(request.getBody().toByteArray()).isEqualTo(body);
        assertThat(isGenuine(request, Sending.SECRET)).isTrue();
    }

    @Test
    void aConnectionIsUsedAgain() throws Exception {
        try (WebhookPublisher publisher = here().build()) {
            for (int i = 0; i < 5; i++) {
                server.enqueue(new MockResponse.Builder().body("thanks").build());
                Sending.published(Sending.publish(publisher, Sending.anyMessage()));
                assertThat(server.takeRequest().getConnectionIndex()).isZero();
            }
        }
    }
}
