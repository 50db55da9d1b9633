package com.example.shop;

import java.net.URI;
import org.pgbaton.http.WebhookPublisher;
import org.pgbaton.spring.BatonRelay;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Sends what is in the outbox to a webhook: each customer's orders in order, at least once. The instances share the work. The relay
 * to Kafka needs no code: it is in application.properties.
 */
@Configuration
class WebhookRelay {
    @Bean
    @BatonRelay(subscription = "orders-webhook")
    WebhookPublisher webhook(
            @Value("${shop.webhook.address}") URI address, @Value("${shop.webhook.secret}") String secret) {
        // Private addresses only so that it can be tried on one machine.
        return WebhookPublisher.to(address).secret(secret).allowPrivate(true).build();
    }
}
