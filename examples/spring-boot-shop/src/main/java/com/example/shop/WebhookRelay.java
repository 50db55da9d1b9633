package com.example.shop;

import java.net.URI;
import java.util.List;
import org.pgbaton.Baton;
import org.pgbaton.http.WebhookPublisher;
import org.pgbaton.spring.start.StartedWithContext;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Sends what is in the outbox to a webhook: each customer's orders in order, at least once. The instances share the work. */
@Configuration
class WebhookRelay {
    @Bean
    WebhookPublisher webhook(
            @Value("${shop.webhook.address}") URI address, @Value("${shop.webhook.secret}") String secret) {
        return WebhookPublisher.to(address).secret(secret).allowPrivate(true).build();
    }

    @Bean
    StartedWithContext ordersToWebhook(Baton baton, WebhookPublisher webhook) {
        return () -> List.of(
                baton.subscription("orders-webhook").on("outbox").publish(webhook).start());
    }
}
