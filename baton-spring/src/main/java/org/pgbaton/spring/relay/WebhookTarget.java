package org.pgbaton.spring.relay;

import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.pgbaton.http.WebhookPublisher;

/** Makes publishers for webhooks. To be loaded only if baton-http is there. */
final class WebhookTarget {
    private WebhookTarget() {}

    static Outlet open(RelayProperties.Webhook properties) {
        if (properties.secret() != null && !properties.secrets().isEmpty()) {
            throw new IllegalArgumentException("secret and secrets exclude each other: give one.");
        }
        WebhookPublisher.Builder builder = WebhookPublisher.to(address(properties.url()))
                .allowPrivate(properties.allowPrivate())
                .timeout(properties.timeout())
                .maxPayload(properties.maxPayload());
        if (properties.secret() != null) {
            builder.secret(properties.secret());
        }
        properties.secrets().forEach(builder::secret);
        properties.headers().forEach(builder::header);
        if (properties.cloudEvents() != null) {
            builder.cloudEvents(properties.cloudEvents());
        }
        return Outlet.of(builder.build());
    }

    /** Does not repeat an address that cannot be read: there may be a secret in it. */
    private static URI address(@Nullable String url) {
        if (url == null) {
            throw new IllegalArgumentException("url is missing: give https://host/path.");
        }
        try {
            return URI.create(url);
        } catch (IllegalArgumentException unreadable) {
            throw new IllegalArgumentException("url is no address: write it like https://host/path.");
        }
    }
}
