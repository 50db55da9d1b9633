package org.pgbaton.spring.relay;

import org.pgbaton.nats.NatsPublisher;

/** Makes publishers for NATS. To be loaded only if baton-nats is there. */
final class NatsTarget {
    private NatsTarget() {}

    static Outlet open(RelayProperties.Nats properties) {
        if (properties.url() == null) {
            throw new IllegalArgumentException("url is missing: give nats://user:password@host:4222.");
        }
        NatsPublisher.Builder builder = NatsPublisher.to(properties.url())
                .subject(properties.subject())
                .timeout(properties.timeout())
                .allowUnencryptedLogin(properties.allowUnencryptedLogin());
        if (properties.passwordFile() != null) {
            builder.passwordFile(properties.passwordFile());
        }
        if (properties.credentialsFile() != null) {
            builder.credentials(properties.credentialsFile());
        }
        if (properties.cloudEvents() != null) {
            builder.cloudEvents(properties.cloudEvents());
        }
        return Outlet.of(builder.build());
    }
}
