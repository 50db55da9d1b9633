package org.pgbaton.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.publishing.EverythingSaid;

/** Collects everything that can be shown, and finds no secret in it. */
class SecretsTest {
    private static final List<String> SECRETS = List.of(
            Sending.SECRET.substring(6),
            Sending.NEW_SECRET.substring(6),
            "query-secret-1",
            "bearer-secret-2",
            "basic secret 3",
            "api-secret-4");

    private final StringBuilder shown = new StringBuilder();
    private final EverythingSaid said = new EverythingSaid();

    @AfterEach
    void stopListening() {
        said.close();
    }

    private static WebhookPublisher.Builder to(URI server) {
        return WebhookPublisher.to(server.resolve("/hook?key=query-secret-1"))
                .allowPrivate(true)
                .timeout(Duration.ofMillis(500))
                .secret(Sending.SECRET)
                .secret(Sending.NEW_SECRET)
                .header("Authorization", "Bearer bearer-secret-2")
                .header("X-Other", "basic secret 3")
                .header("X-Api-Key", "api-secret-4");
    }

    @Test
    void noSecretIsShownWhateverTheEndpointEchoes() throws Exception {
        String secrets = "key=query-secret-1 " + Sending.SECRET + " " + Sending.NEW_SECRET
                + " Bearer bearer-secret-2, bearer-secret-2 basic secret 3 api-secret-4 ";
        for (String answer : List.of(
                "HTTP/1.1 400 " + secrets + "\r\n\r\n" + secrets,
                "HTTP/1.1 500 No\r\n\r\n" + secrets,
                "HTTP/1.1 401 No\r\nWWW-Authenticate: " + secrets + "\r\n\r\n" + "x".repeat(190) + secrets,
                "HTTP/1.1 410 No\r\n\r\n" + secrets,
                "HTTP/1.1 429 No\r\nRetry-After: " + secrets + "\r\n\r\n" + secrets,
                "HTTP/1.1 302 No\r\nLocation: https://other.example/?" + secrets + "\r\n\r\n" + secrets,
                "HTTP/1.1 407 " + secrets + "\r\n\r\n" + secrets,
                "HTTP/1.1 abc " + secrets + "\r\n\r\n",
                secrets + "\r\n\r\n",
                "HTTP/1.1 200 OK\r\n" + secrets + "\r\n" + secrets + "\r\n",
                "")) {
            try (RawServer server = new RawServer(connection -> {
                        connection.readRequest();
                        connection.write(answer);
                        if (answer.isEmpty()) {
                            connection.holdStill();
                        }
                    });
                    WebhookPublisher publisher = to(server.url()).build()) {
                show(publisher.target());
                show(publisher.toString());
                show(catchThrowable(() -> Sending.publish(publisher, Sending.anyMessage())
                        .toCompletableFuture()
                        .get()));
            }
        }
        RawServer gone = new RawServer(connection -> {});
        gone.close();
        try (WebhookPublisher publisher = to(gone.url()).build()) {
            show(Sending.failureOf(publisher));
        }

        show(said.toString());
        assertThat(shown.toString())
                .contains("refuses this message (400)", "did not answer", "***")
                .doesNotContain(SECRETS);
    }

    @Test
    void theTargetIsTheUrlWithoutItsQuery() {
        try (WebhookPublisher publisher = WebhookPublisher.to(URI.create("https://Example.com:8443/a/b?c=d#e"))
                .build()) {
            assertThat(publisher.target()).isEqualTo("webhook https://example.com:8443/a/b");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldA==",
                "whsec_",
                "whsec_c2hvcnQtc2VjcmV0",
                "whsec_!secret!secret!secret!secret!secret!secret",
                "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0",
                "secret",
                ""
            })
    void aSecretThatIsNoneIsRefusedWithoutShowingIt(String secret) {
        assertThatThrownBy(() -> WebhookPublisher.to(URI.create("https://example.com/"))
                        .secret(secret)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("whsec_")
                .hasMessageContaining("24 to 64")
                .satisfies(refused -> assertThat(trace(refused))
                        .doesNotContain(
                                secret.length() > 6 ? secret.substring(6, Math.min(20, secret.length())) : "\0"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\nb-secret", "secret-ü", "secret ", "\0secret"})
    void aHeaderThatCannotBeSentIsRefusedWithoutShowingIt(String value) {
        assertThatThrownBy(() -> WebhookPublisher.to(URI.create("https://example.com/"))
                        .header("X-Api-Key", value)
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("X-Api-Key")
                .satisfies(refused -> assertThat(trace(refused)).doesNotContain("secret"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Host", "content-length", "Webhook-Id", "baton-key", "two words", "", "Transfer-Encoding"})
    void aHeaderThatIsNotYoursToSetIsRefused(String name) {
        assertThatThrownBy(() -> WebhookPublisher.to(URI.create("https://example.com/"))
                        .header(name, "x")
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + name + "'");
    }

    @Test
    void limitsThatMakeNoSenseAreRefused() {
        WebhookPublisher.Builder builder = WebhookPublisher.to(URI.create("https://example.com/"));
        assertThatThrownBy(() -> builder.timeout(Duration.ZERO).build())
                .hasMessage("A timeout of PT0S makes no sense: give 1 ms to 10 min (default 15 s).");
        assertThatThrownBy(() -> builder.timeout(Duration.ofHours(1)).build()).hasMessageContaining("PT1H");
        assertThatThrownBy(() ->
                        builder.timeout(Duration.ofSeconds(1)).maxPayload(0).build())
                .hasMessage("A maxPayload of 0 bytes makes no sense: give 1 or more (default 1000000).");
    }

    private void show(Throwable failure) {
        show(trace(failure));
    }

    private void show(String text) {
        shown.append(text).append('\n');
    }

    private static String trace(@Nullable Throwable failure) {
        StringWriter text = new StringWriter();
        if (failure != null) {
            failure.printStackTrace(new PrintWriter(text));
        }
        return text.toString();
    }
}
