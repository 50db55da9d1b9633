package org.pgbaton.spring.relay;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** The kinds of target that properties can name, each with the module that it needs. */
enum TargetKind {
    KAFKA("baton-kafka", "org.pgbaton.kafka.KafkaPublisher"),
    RABBITMQ("baton-rabbitmq", "org.pgbaton.rabbitmq.RabbitPublisher"),
    NATS("baton-nats", "org.pgbaton.nats.NatsPublisher"),
    WEBHOOK("baton-http", "org.pgbaton.http.WebhookPublisher");

    private final String artifact;
    private final String publisher;

    TargetKind(String artifact, String publisher) {
        this.artifact = artifact;
        this.publisher = publisher;
    }

    /** As properties write it. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The module to add. */
    String artifact() {
        return artifact;
    }

    boolean isOnClassPath(@Nullable ClassLoader loader) {
        return ClassUtils.isPresent(publisher, loader);
    }

    /** Whether the relay is to this kind of target. */
    boolean isIn(RelayProperties relay) {
        return switch (this) {
            case KAFKA -> relay.kafka() != null;
            case RABBITMQ -> relay.rabbitmq() != null;
            case NATS -> relay.nats() != null;
            case WEBHOOK -> relay.webhook() != null;
        };
    }

    /**
     * Makes a publisher, which does not connect yet. Only if the module is on the class path and the relay is to this kind of target.
     *
     * @throws IllegalArgumentException with a sentence about the properties, without secrets
     */
    Outlet open(RelayProperties relay, Environment environment) {
        if (relay.kafka() != null) {
            return KafkaTarget.open(relay.kafka(), environment);
        }
        if (relay.rabbitmq() != null) {
            return RabbitTarget.open(relay.rabbitmq());
        }
        if (relay.nats() != null) {
            return NatsTarget.open(relay.nats());
        }
        if (relay.webhook() != null) {
            return WebhookTarget.open(relay.webhook());
        }
        throw new IllegalStateException("a relay without a target was let through");
    }
}
