package org.pgbaton.proofs.outbox;

import java.net.URI;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.pgbaton.Baton;
import org.pgbaton.http.WebhookPublisher;
import org.pgbaton.kafka.KafkaPublisher;
import org.pgbaton.kafka.KafkaTransactionalPublisher;
import org.pgbaton.nats.NatsPublisher;
import org.pgbaton.rabbitmq.RabbitPublisher;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionBuilder;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/** One of several processes that relay the trades. Tests kill and freeze it. */
final class TradeRelayProgram {
    static final String RELAY = "trades";
    static final Duration LEASE = Duration.ofSeconds(3);

    /** For targets other than Kafka: the most messages that one process can have sent and not closed. */
    static final int NOT_CLOSED = 2 * 50;

    /** The exchange of RabbitMQ. */
    static final String EXCHANGE = "trading";

    /** The kind of target. */
    enum To {
        KAFKA_EXACTLY_ONCE,
        KAFKA,
        RABBITMQ,
        WEBHOOK,
        NATS
    }

    private TradeRelayProgram() {}

    static JavaProcess start(TestDatabase database, String name, To to, String address) {
        return JavaProcess.start(TradeRelayProgram.class, database.url(), name, to.name(), address);
    }

    public static void main(String[] arguments) throws Exception {
        try (Baton baton = Baton.builder(arguments[0])
                .who(arguments[1])
                .lease(LEASE)
                .migrate(false)
                .open()) {
            SubscriptionBuilder relay =
                    baton.subscription(RELAY).on("outbox").backoff(Duration.ofMillis(50), Duration.ofSeconds(1));
            publish(relay, To.valueOf(arguments[2]), arguments[3]);
            Subscription running = relay.start();
            System.out.println("RUNNING");
            sayWhenTroubled(running);
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
        }
    }

    /** Prints a line each time the relay becomes troubled. */
    private static void sayWhenTroubled(Subscription relay) {
        Thread watch = new Thread(() -> {
            boolean before = false;
            while (true) {
                boolean troubled = relay.health().trouble() != null;
                if (troubled && !before) {
                    System.out.println("TROUBLED");
                }
                before = troubled;
                LockSupport.parkNanos(20_000_000);
            }
        });
        watch.setDaemon(true);
        watch.start();
    }

    private static void publish(SubscriptionBuilder relay, To to, String address) {
        Duration patience = Duration.ofSeconds(4);
        switch (to) {
            case KAFKA_EXACTLY_ONCE ->
                relay.publish(KafkaTransactionalPublisher.to(address).build());
            case KAFKA -> relay.publish(KafkaPublisher.to(address).build());
            case RABBITMQ ->
                relay.workers(2)
                        .batch(50)
                        .publish(RabbitPublisher.to(address)
                                .exchange(EXCHANGE)
                                .timeout(patience)
                                .build());
            case WEBHOOK ->
                relay.workers(2)
                        .batch(50)
                        .publish(WebhookPublisher.to(URI.create(address))
                                .allowPrivate(true)
                                .timeout(patience)
                                .build());
            case NATS ->
                relay.workers(2)
                        .batch(50)
                        .publish(NatsPublisher.to(address).timeout(patience).build());
        }
    }
}
