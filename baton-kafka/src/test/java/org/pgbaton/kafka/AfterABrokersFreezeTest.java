package org.pgbaton.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.kafka.broker.BrokerProcess;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** At least once: a broker that was frozen for a while is an outage and no crowd of slow keys, and what has piled up is gone soon. */
@BatonTest
class AfterABrokersFreezeTest {
    private static final int PER_SECOND = 1000;
    private static final Duration FREEZE = Duration.ofSeconds(4);

    @Test
    void theBacklogIsGoneSoon(TestDatabase database) throws Exception {
        AtomicLong written = new AtomicLong();
        AtomicBoolean writing = new AtomicBoolean(true);
        try (BrokerProcess broker = BrokerProcess.start();
                KafkaPublisher publisher =
                        KafkaPublisher.to(broker.bootstrapServers()).build();
                Baton baton = database.baton()) {
            String topic = broker.topics().create(4);
            Subscription relay = baton.subscription("frozen")
                    .on("outbox")
                    .slowKey(Duration.ofMillis(500))
                    .publish(publisher)
                    .start();
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> write(database, topic, written, writing));
            await().atMost(Duration.ofSeconds(60)).until(() -> relay.stats().handled() > PER_SECOND);
            broker.freeze();
            int aside = 0;
            long until = System.nanoTime() + FREEZE.toNanos();
            while (System.nanoTime() < until) {
                aside = Math.max(aside, relay.stats().keysAside());
                Thread.sleep(20);
            }
            broker.thaw();
            long thawed = System.nanoTime();
            await().atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> written.get() - relay.stats().handled() < PER_SECOND / 2);
            double took = (System.nanoTime() - thawed) / 1e9;
            System.out.printf(
                    "frozen for %d s at %d/s: the backlog was gone after %.1f s; at most %d keys were set aside%n",
                    FREEZE.toSeconds(), PER_SECOND, took, aside);
            // Twice is the promise at half the maximal rate, which this is not everywhere: broker, database and relay
            // share the machine.
            assertThat(took).isLessThan(4.0 * FREEZE.toSeconds());
            writing.set(false);
            writer.join();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> relay.stats().handled() >= written.get()
                            && relay.stats().keysAside() == 0);
        }
    }

    private static void write(TestDatabase database, String topic, AtomicLong written, AtomicBoolean writing) {
        long start = System.nanoTime();
        try {
            while (writing.get()) {
                long due = (long) ((System.nanoTime() - start) / 1e9 * PER_SECOND) - written.get();
                if (due > 0) {
                    database.execute("INSERT INTO baton.outbox (topic, key, payload) SELECT '" + topic
                            + "', 'key-' || (random() * 200)::int, '{}' FROM generate_series(1, " + due + ")");
                    written.addAndGet(due);
                }
                Thread.sleep(20);
            }
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }
}
