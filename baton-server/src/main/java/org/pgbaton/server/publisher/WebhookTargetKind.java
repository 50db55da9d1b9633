package org.pgbaton.server.publisher;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.pgbaton.http.WebhookPublisher;
import org.pgbaton.server.config.HiddenTexts;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Scalar;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;

/** A webhook. */
public final class WebhookTargetKind implements TargetKind {
    private static final Key<URI> URL = Key.required(
                    "url", Scalar.url("https", "http"), "Where to POST. Its path is shown to people, its query is not.")
            .secret();
    /** For everything that is sent over HTTP. */
    public static final Key<Boolean> ALLOW_PRIVATE = Key.optional(
            "allow-private",
            Scalar.truth(),
            "false",
            "Loopback and private addresses, and plain http to them, are refused without it.");

    private static final Key<String> SECRET = Key.optional(
                    "secret", Scalar.text(), "Signs with this secret: whsec_ and 24 to 64 bytes in base64.")
            .secret();
    private static final Key<List<String>> SECRETS = Key.optional(
                    "secrets",
                    HiddenTexts.list(),
                    "Several secrets, each of which signs, while receivers change to a new one.")
            .secret();
    /** For everything that is sent over HTTP. */
    public static final Key<Duration> TIMEOUT =
            Key.optional("timeout", Scalar.time("1ms", "10m"), "15s", "How long a request may take, with everything.");

    private static final Key<Map<String, String>> HEADERS = Key.optional(
            "headers",
            HiddenTexts.byName(),
            "Sent with every request, for instance Authorization. Values are shown nowhere.");
    private static final Key<Integer> MAX_PAYLOAD = Key.optional(
            "max-payload", Scalar.whole(1, 100_000_000), "1000000", "A message with more bytes is parked.");

    /** Its keys. */
    public static final Section SECTION = Section.of(
                    "webhook", URL, ALLOW_PRIVATE, SECRET, SECRETS, TIMEOUT, HEADERS, MAX_PAYLOAD, CLOUD_EVENTS)
            .check(WebhookTargetKind::check);

    WebhookTargetKind() {}

    private static void check(Settings settings) {
        if (settings.has(SECRET) && settings.has(SECRETS)) {
            settings.problem(SECRETS, "'secret' and 'secrets' in webhook exclude each other: give one");
        }
    }

    @Override
    public String name() {
        return "webhook";
    }

    @Override
    public String meaning() {
        return "An HTTP endpoint: each message is a POST with its bytes.";
    }

    @Override
    public Section section() {
        return SECTION;
    }

    @Override
    public Outlet open(Settings settings) {
        return Outlet.of(publisher(settings));
    }

    /** @throws IllegalArgumentException with a sentence about the settings, without secrets */
    public static WebhookPublisher publisher(Settings settings) {
        WebhookPublisher.Builder builder = WebhookPublisher.to(settings.get(URL))
                .allowPrivate(settings.get(ALLOW_PRIVATE))
                .timeout(settings.get(TIMEOUT))
                .maxPayload(settings.get(MAX_PAYLOAD));
        settings.ifPresent(SECRET, builder::secret);
        settings.ifPresent(CLOUD_EVENTS, builder::cloudEvents);
        settings.ifPresent(SECRETS, given -> given.forEach(builder::secret));
        settings.ifPresent(HEADERS, given -> given.forEach(builder::header));
        return builder.build();
    }
}
