package org.pgbaton.spring.relay;

import org.pgbaton.rabbitmq.RabbitPublisher;

/** Makes publishers for RabbitMQ. To be loaded only if baton-rabbitmq is there. */
final class RabbitTarget {
    private RabbitTarget() {}

    static Outlet open(RelayProperties.Rabbitmq properties) {
        if (properties.uri() == null) {
            throw new IllegalArgumentException("uri is missing: give amqp://user:password@host:5672/vhost.");
        }
        RabbitPublisher.Builder builder = RabbitPublisher.to(properties.uri())
                .routingKey(properties.routingKey())
                .mandatory(properties.mandatory())
                .timeout(properties.timeout())
                .allowUnencryptedLogin(properties.allowUnencryptedLogin());
        if (properties.exchange() != null) {
            builder.exchange(properties.exchange());
        }
        if (properties.cloudEvents() != null) {
            builder.cloudEvents(properties.cloudEvents());
        }
        if (properties.passwordFile() != null) {
            builder.passwordFile(properties.passwordFile());
        }
        return Outlet.of(builder.build());
    }
}
