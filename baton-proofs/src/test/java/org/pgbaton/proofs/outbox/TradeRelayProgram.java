package org.pgbaton.proofs.outbox;

import java.time.Duration;
import org.pgbaton.Baton;
import org.pgbaton.kafka.KafkaPublisher;
import org.pgbaton.kafka.KafkaTransactionalPublisher;
import org.pgbaton.subscription.SubscriptionBuilder;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/** One of several processes that relay the trades, to be killed and frozen. */
final class TradeRelayProgram {
    static final String RELAY = "trades";
    static final Duration LEASE = Duration.ofSeconds(3);

    private TradeRelayProgram() {}

    static JavaProcess start(TestDatabase database, String name, String servers, boolean exactlyOnce) {
        return JavaProcess.start(
                TradeRelayProgram.class, database.url(), name, servers, exactlyOnce ? "exactly-once" : "at-least-once");
    }

    public static void main(String[] arguments) throws Exception {
        try (Baton baton = Baton.builder(arguments[0])
                .who(arguments[1])
                .lease(LEASE)
                .migrate(false)
                .open()) {
            SubscriptionBuilder relay =
                    baton.subscription(RELAY).on("outbox").backoff(Duration.ofMillis(50), Duration.ofSeconds(1));
            if (arguments[3].equals("exactly-once")) {
                relay.publish(KafkaTransactionalPublisher.to(arguments[2]).build());
            } else {
                relay.publish(KafkaPublisher.to(arguments[2]).build());
            }
            relay.start();
            System.out.println("RUNNING");
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
        }
    }
}
