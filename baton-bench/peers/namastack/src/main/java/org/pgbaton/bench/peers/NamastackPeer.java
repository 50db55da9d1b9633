package org.pgbaton.bench.peers;

import io.namastack.outbox.Outbox;
import io.namastack.outbox.OutboxProcessingScheduler;
import io.namastack.outbox.handler.OutboxRecordMetadata;
import io.namastack.outbox.handler.OutboxTypedHandler;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Namastack's outbox with its JDBC starter, and a handler that returns when Kafka has confirmed the message. Within a
 * key it is called for one message after the other. Until this peer is told to run, it does not poll.
 */
public final class NamastackPeer implements Runnable, BiConsumer<String, String> {
    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {}

    private record Handler(BiFunction<String, String, Future<?>> producer) implements OutboxTypedHandler<String> {
        @Override
        public void handle(String payload, OutboxRecordMetadata metadata) {
            try {
                producer.apply(metadata.getKey(), payload).get();
            } catch (ExecutionException | InterruptedException failed) {
                throw new IllegalStateException(failed);
            }
        }
    }

    private final Outbox outbox;
    private final OutboxProcessingScheduler relay;
    private final TransactionTemplate transactions;

    public NamastackPeer(Map<String, String> options, BiFunction<String, String, Future<?>> producer) {
        Map<String, Object> properties = new HashMap<>();
        properties.put("spring.datasource.url", options.get("url"));
        properties.put("spring.main.banner-mode", "off");
        options.forEach((name, value) -> {
            if (name.startsWith("namastack.")) {
                properties.put(name, value);
            }
        });
        Handler handler = new Handler(producer);
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(properties)
                .initializers(created -> ((GenericApplicationContext) created)
                        .registerBean("handler", Handler.class, () -> handler))
                .run();
        this.outbox = context.getBean(Outbox.class);
        this.relay = context.getBean(OutboxProcessingScheduler.class);
        this.transactions = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        relay.stop();
    }

    @Override
    public void accept(String key, String payload) {
        transactions.executeWithoutResult(status -> outbox.schedule(payload, key));
    }

    @Override
    public void run() {
        relay.start();
    }
}
