package org.pgbaton.server.publisher;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.pgbaton.rabbitmq.RabbitPublisher;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Kind;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;

/** RabbitMQ. */
final class RabbitTargetKind implements TargetKind {
    private static final Key<String> URI = Key.required(
                    "uri",
                    Kind.text(),
                    "amqp://user:password@host:5672/vhost, or amqps:// for TLS; several hosts separated by commas.")
            .secret();
    private static final Key<Path> PASSWORD_FILE = Key.optional(
            "password-file",
            Kind.file(),
            "A file with the password, in place of the one in the URI. It is read at every connect.");
    private static final Key<String> EXCHANGE = Key.optional(
            "exchange",
            Kind.text(),
            "The exchange; {topic}, {key} and {type} stand for the message's own. Default: RabbitMQ's default exchange, which "
                    + "routes to the queue that is named like the routing key.");
    private static final Key<String> ROUTING_KEY = Key.optional(
            "routing-key",
            Kind.text(),
            "{topic}",
            "The routing key; {topic}, {key} and {type} stand for the message's own.");
    private static final Key<Boolean> MANDATORY = Key.optional(
            "mandatory",
            Kind.truth(),
            "true",
            "Whether a message that no queue wants has failed; if not, it counts as published and is gone.");
    private static final Key<Duration> TIMEOUT = Key.optional(
            "timeout",
            Kind.time("100ms", "1h"),
            "10s",
            "A message that RabbitMQ has not confirmed by then has failed. Also for each step of connecting.");
    private static final Key<Boolean> UNENCRYPTED = Key.optional(
            "allow-unencrypted-login",
            Kind.truth(),
            "false",
            "Without it, a password goes to another machine only over TLS.");

    private static final Section SECTION =
            Section.of("rabbitmq", URI, PASSWORD_FILE, EXCHANGE, ROUTING_KEY, MANDATORY, TIMEOUT, UNENCRYPTED);

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
                .allowUnencryptedLogin(settings.get(UNENCRYPTED));
        String exchange = settings.find(EXCHANGE);
        if (exchange != null) {
            builder.exchange(exchange);
        }
        Path passwordFile = settings.find(PASSWORD_FILE);
        if (passwordFile != null) {
            builder.passwordFile(passwordFile);
        }
        return Outlet.of(builder.build());
    }
}
