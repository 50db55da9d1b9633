package org.pgbaton.spring.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.spring.Applications;
import org.pgbaton.spring.BatonRelay;
import org.pgbaton.spring.Outbox;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A publisher with {@code @BatonRelay} gets what is sent, unless relays are left to others. */
@BatonTest
class RelaysTest {
    /** Keeps what it gets. */
    static class Kept implements Publisher {
        private final Queue<String> messages = new ConcurrentLinkedQueue<>();

        @Override
        public String target() {
            return "memory";
        }

        @Override
        public CompletionStage<?> publish(Message message, Delivery delivery) {
            messages.add(message.topic() + " " + message.text());
            return CompletableFuture.completedFuture(true);
        }

        @Override
        public void close() {}
    }

    @Configuration
    static class WithRelay {
        @Bean
        @BatonRelay(subscription = "${relay.name:out}")
        Kept kept() {
            return new Kept();
        }
    }

    @Test
    void whatIsSentIsPublished(TestDatabase database) throws Exception {
        try (ConfigurableApplicationContext context = Applications.start(database, List.of(), WithRelay.class)) {
            context.getBean(Outbox.class).sendNow(Draft.json("1").topic("orders"));
            database.drain("out", Duration.ofSeconds(30));
            assertThat(context.getBean(Kept.class).messages).containsExactly("orders 1");
        }
    }

    @Test
    void relaysCanBeLeftToOthers(TestDatabase database) {
        try (ConfigurableApplicationContext context =
                Applications.start(database, List.of("baton.relays.enabled=false"), WithRelay.class)) {
            assertThat(context.getBean(Baton.class).health().subscriptions()).isEmpty();
        }
    }
}
