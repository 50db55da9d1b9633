package org.pgbaton.spring.relay;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.kafka.broker.BrokerProcess;
import org.pgbaton.log.Draft;
import org.pgbaton.spring.Applications;
import org.pgbaton.spring.Outbox;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.springframework.context.ConfigurableApplicationContext;

/** Relays that properties describe publish what is sent, unless relays are left to others. */
@BatonTest
class PropertyRelaysTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void theOutboxGoesToAWebhook(TestDatabase database) throws Exception {
        Queue<String> got = new ConcurrentLinkedQueue<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/hook", exchange -> {
            try (InputStream body = exchange.getRequestBody()) {
                got.add(exchange.getRequestHeaders().getFirst("X-Shop") + " "
                        + new String(body.readAllBytes(), StandardCharsets.UTF_8));
            }
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        try (ConfigurableApplicationContext context = Applications.start(
                database,
                List.of(
                        "baton.relays.to-hook.webhook.url=http://localhost:"
                                + server.getAddress().getPort() + "/hook",
                        "baton.relays.to-hook.webhook.allow-private=true",
                        "baton.relays.to-hook.webhook.headers.X-Shop=berlin",
                        "baton.relays.to-hook.subscription=hooks",
                        "baton.relays.to-hook.types=Wanted"))) {
            context.getBean(Outbox.class)
                    .sendNow(Draft.json("1").type("Unwanted").topic("orders"));
            context.getBean(Outbox.class)
                    .sendNow(Draft.json("2").type("Wanted").topic("orders"));
            database.drain("hooks", PATIENCE);
        } finally {
            server.stop(0);
        }
        assertThat(got).containsExactly("berlin 2");
    }

    @Test
    void theOutboxGoesToKafkaWhereBootsPropertySaysItIs(TestDatabase database) throws Exception {
        try (BrokerProcess broker = Kafka.start()) {
            broker.topics().create("orders", 1, Map.of());
            try (ConfigurableApplicationContext context = Applications.start(
                    database,
                    List.of(
                            "spring.kafka.bootstrap-servers=" + broker.bootstrapServers(),
                            "baton.relays.orders.kafka.mode=exactly-once",
                            "baton.relays.orders.kafka.groups=1",
                            "baton.relays.orders.kafka.properties.linger.ms=1"))) {
                Outbox outbox = context.getBean(Outbox.class);
                for (int number = 1; number <= 20; number++) {
                    outbox.sendNow(Draft.json(Integer.toString(number)).topic("orders").key("k"));
                }
                database.drain("orders", PATIENCE);
            }
            assertThat(broker.topics().committed("orders"))
                    .extracting(each -> new String(each.value(), StandardCharsets.UTF_8))
                    .containsExactly(
                            "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17",
                            "18", "19", "20");
        }
    }

    @Test
    void relaysCanBeLeftToOthersEvenIfTheirModuleIsNotThere(TestDatabase database) {
        try (ConfigurableApplicationContext context = Applications.start(
                database,
                List.of(
                        "baton.relays.enabled=false",
                        "baton.relays.audit.rabbitmq.uri=amqp://localhost"))) {
            assertThat(context.getBean(Baton.class).health().subscriptions()).isEmpty();
        }
    }
}
