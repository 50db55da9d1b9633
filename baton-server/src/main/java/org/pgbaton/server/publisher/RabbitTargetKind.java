package org.pgbaton.server.publisher;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.pgbaton.rabbitmq.RabbitPublisher;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Scalar;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;

/** RabbitMQ. */
final class RabbitTargetKind implements TargetKind {
    private static final Key<String> URI = Key.required(
                    "uri",
                    Scalar.text(),
                    "amqp://user:password@host:5672/vhost, or amqps:// for TLS; several hosts separated by commas.")
            .secret();
    private static final Key<Path> PASSWORD_FILE = Key.optional(
            "password-file",
            Scalar.file(),
            "A file with the password, in place of the one in the URI. It is read at every connect.");
    private static final Key<String> EXCHANGE = Key.optional(
            "exchange",
            Scalar.text(),
            "The exchange; {topic}, {key} and {type} stand for the message's own. Default: RabbitMQ's default exchange, which "
                    + "routes to the queue that is named like the routing key.");
    private static final Key<String> ROUTING_KEY = Key.optional(
            "routing-key",
            Scalar.text(),
            "{topic}",
            "The routing key; {topic}, {key} and {type} stand for the message's own.");
    private static final Key<Boolean> MANDATORY = Key.optional(
            "mandatory",
            Scalar.truth(),
            "true",
            "Whether a message that no queue wants has failed; if not, it counts as published and is gone.");
    private static final Key<Duration> TIMEOUT = Key.optional(
            "timeout",
            Scalar.time("100ms", "1h"),
            "10s",
            "A message that RabbitMQ has not confirmed by then has failed. Also for each step of connecting.");

    private static final Section SECTION = Section.of(
            "rabbitmq",
            URI,
            PASSWORD_FILE,
            EXCHANGE,
            ROUTING_KEY,
            MANDATORY,
            TIMEOUT,
            CLOUD_EVENTS,
            ALLOW_UNENCRYPTED_LOGIN);

    @Override
    public String name() {
        return "rabbitmq";
    }

    @Override
    public String meaning() {
        return "RabbitMQ, with publisher confirms.";
    }

    @Override
    public Section section() {
        return SECTION;
    }

    @Override
    public Outlet open(Settings settings) {
        RabbitPublisher.Builder builder = RabbitPublisher.to(settings.get(URI))
                .routingKey(settings.get(ROUTING_KEY))
                .mandatory(settings.get(MANDATORY))
                .timeout(settings.get(TIMEOUT))
                .allowUnencryptedLogin(settings.get(ALLOW_UNENCRYPTED_LOGIN));
        settings.ifPresent(EXCHANGE, builder::exchange);
        settings.ifPresent(CLOUD_EVENTS, builder::cloudEvents);
        settings.ifPresent(PASSWORD_FILE, builder::passwordFile);
        return Outlet.of(builder.build());
    }
}
