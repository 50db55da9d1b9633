package org.pgbaton.kafka;

import java.time.Duration;
import org.apache.kafka.common.utils.AppInfoParser;
import org.pgbaton.Baton;
import org.pgbaton.subscription.SubscriptionBuilder;

/**
 * Relays a log, with whichever Kafka client it is started with: {@code SERVERS DATABASE NAME once|least}. Prints the client's version when
 * it runs, and ends with its standard input.
 */
final class RelayProgram {
    private RelayProgram() {}

    public static void main(String... arguments) throws Exception {
        try (KafkaTransactionalPublisher once = KafkaTransactionalPublisher.to(arguments[0])
                        .groups(2)
                        .timeout(Duration.ofSeconds(6))
                        .build();
                KafkaPublisher least = KafkaPublisher.to(arguments[0])
                        .timeout(Duration.ofSeconds(4))
                        .build();
                Baton baton = Baton.open(arguments[1])) {
            SubscriptionBuilder relay = baton.subscription(arguments[2])
                    .on("outbox")
                    .attempts(1)
                    .backoff(Duration.ofMillis(20), Duration.ofMillis(100));
            (arguments[3].equals("once") ? relay.publish(once) : relay.publish(least)).start();
            System.out.println("client " + AppInfoParser.getVersion());
            while (System.in.read() >= 0) {
                // Nobody has anything to say to it.
            }
        }
    }
}
