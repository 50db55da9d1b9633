package org.pgbaton.server.publisher;

import java.nio.file.Path;
import java.time.Duration;
import org.pgbaton.nats.NatsPublisher;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Scalar;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;

/** NATS JetStream. */
final class NatsTargetKind implements TargetKind {
    private static final Key<String> URL = Key.required(
                    "url",
                    Scalar.text(),
                    "nats://user:password@host:4222, nats://token@host, or tls:// for TLS; several servers separated by commas.")
            .secret();
    private static final Key<Path> PASSWORD_FILE = Key.optional(
            "password-file",
            Scalar.file(),
            "A file with the password of the URL's user, or with a token. It is read at every connect.");
    private static final Key<Path> CREDENTIALS_FILE = Key.optional(
            "credentials-file",
            Scalar.file(),
            "A file of credentials as nsc makes it, with a JWT and a key. It is read at every connect.");
    private static final Key<String> SUBJECT = Key.optional(
            "subject", Scalar.text(), "{topic}", "The subject; {topic}, {key} and {type} stand for the message's own.");
    private static final Key<Duration> TIMEOUT = Key.optional(
            "timeout",
            Scalar.time("100ms", "1h"),
            "10s",
            "A message that no stream has acknowledged by then has failed. Also for connecting to each server.");

    private static final Section SECTION = Section.of(
            "nats", URL, PASSWORD_FILE, CREDENTIALS_FILE, SUBJECT, TIMEOUT, CLOUD_EVENTS, ALLOW_UNENCRYPTED_LOGIN);

    @Override
    public String name() {
        return "nats";
    }

    @Override
    public String meaning() {
        return "NATS JetStream, which recognises a message that comes twice by its id.";
    }

    @Override
    public Section section() {
        return SECTION;
    }

    @Override
    public Outlet open(Settings settings) {
        NatsPublisher.Builder builder = NatsPublisher.to(settings.get(URL))
                .subject(settings.get(SUBJECT))
                .timeout(settings.get(TIMEOUT))
                .allowUnencryptedLogin(settings.get(ALLOW_UNENCRYPTED_LOGIN));
        settings.ifPresent(PASSWORD_FILE, builder::passwordFile);
        settings.ifPresent(CREDENTIALS_FILE, builder::credentials);
        settings.ifPresent(CLOUD_EVENTS, builder::cloudEvents);
        return Outlet.of(builder.build());
    }
}
