package org.pgbaton.spring.relay;

import java.util.List;
import org.pgbaton.kafka.KafkaPublisher;
import org.pgbaton.kafka.KafkaTransactionalPublisher;
import org.pgbaton.spring.relay.RelayProperties.Kafka;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** Makes publishers for Kafka, in either mode. To be loaded only if baton-kafka is there. */
final class KafkaTarget {
    private KafkaTarget() {}

    static Outlet open(Kafka properties, Environment environment) {
        String servers = servers(properties, environment);
        if (properties.mode() == Kafka.Mode.EXACTLY_ONCE) {
            return exactlyOnce(servers, properties);
        }
        if (properties.groups() != null || properties.prefix() != null) {
            throw new IllegalArgumentException(
                    "groups and prefix make sense only with mode exactly-once: leave them out.");
        }
        return atLeastOnce(servers, properties);
    }

    private static String servers(Kafka properties, Environment environment) {
        List<String> servers = properties.bootstrapServers();
        if (servers.isEmpty()) {
            servers = Binder.get(environment)
                    .bind("spring.kafka.bootstrap-servers", Bindable.listOf(String.class))
                    .orElse(List.of());
        }
        if (servers.isEmpty()) {
            throw new IllegalArgumentException(
                    "bootstrap-servers is missing: give host:port of some brokers here, or set spring.kafka.bootstrap-servers.");
        }
        return String.join(",", servers);
    }

    private static Outlet exactlyOnce(String servers, Kafka properties) {
        KafkaTransactionalPublisher.Builder builder = KafkaTransactionalPublisher.to(servers)
                .properties(properties.properties())
                .allowUnencryptedLogin(properties.allowUnencryptedLogin());
        if (properties.groups() != null) {
            builder.groups(properties.groups());
        }
        if (properties.prefix() != null) {
            builder.prefix(properties.prefix());
        }
        if (properties.topic() != null) {
            builder.topic(properties.topic());
        }
        if (properties.timeout() != null) {
            builder.timeout(properties.timeout());
        }
        if (properties.cloudEvents() != null) {
            builder.cloudEvents(properties.cloudEvents());
        }
        return Outlet.of(builder.build());
    }

    private static Outlet atLeastOnce(String servers, Kafka properties) {
        KafkaPublisher.Builder builder = KafkaPublisher.to(servers)
                .properties(properties.properties())
                .allowUnencryptedLogin(properties.allowUnencryptedLogin());
        if (properties.topic() != null) {
            builder.topic(properties.topic());
        }
        if (properties.timeout() != null) {
            builder.timeout(properties.timeout());
        }
        if (properties.cloudEvents() != null) {
            builder.cloudEvents(properties.cloudEvents());
        }
        return Outlet.of(builder.build());
    }
}
