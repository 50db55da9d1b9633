package org.pgbaton.proofs.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgbaton.Baton;
import org.pgbaton.kafka.broker.BrokerProcess;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/**
 * Promise 5: to the outside in order per key, at least once; to Kafka, for consumers that read what is committed, exactly once. Trades of
 * 200 portfolios, written by transactions that overtake each other, relayed by three processes that are killed and frozen, to a real
 * broker that is killed and frozen too.
 *
 * <p>{@link TheOrderCheckFindsMistakesTest} shows that the check can fail.
 */
class StrictOrderToKafkaTest {
    private static final String WRITTEN = "SELECT key, id FROM baton.outbox WHERE topic = '%s' ORDER BY position";

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void exactlyOnce() throws Exception {
        exactlyOnce(15_000);
    }

    @Test
    @Tag("heavy")
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void exactlyOnceALot() throws Exception {
        exactlyOnce(150_000);
    }

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void atLeastOnceTheFirstTimeInOrder() throws Exception {
        try (Run run = new Run(false)) {
            run.trade(10_000);
            Published verdict = run.verdict("trades");
            assertThat(verdict).matches(Published::isInOrder);
            assertThat(verdict.again())
                    .as("what was in flight when something broke")
                    .isLessThan(verdict.written() / 4);
        }
    }

    private static void exactlyOnce(int trades) throws Exception {
        try (Run run = new Run(true)) {
            run.trade(trades);
            assertThat(run.verdict("trades")).matches(Published::isExactlyOnceInOrder);
            run.parkAndDrain();
            assertThat(run.verdict("narrow")).matches(Published::isExactlyOnceInOrder);
            run.rewind(trades / 2);
            assertThat(run.verdict("narrow")).matches(Published::isInOrder);
            assertThat(run.afterTheRewind(trades / 2)).matches(Published::isExactlyOnceInOrder);
        }
    }

    private static final class Run implements AutoCloseable {
        private final long seed = System.nanoTime();
        private final Random random = new Random(seed);
        private final boolean exactlyOnce;
        private final TestServer server = TestServer.start(Map.of("max_connections", "200"));
        private final TestDatabase database = server.newDatabase();
        private final BrokerProcess broker = BrokerProcess.start();
        private final JavaProcess[] relays = new JavaProcess[3];
        private int beforeTheRewind;

        Run(boolean exactlyOnce) throws InterruptedException {
            this.exactlyOnce = exactlyOnce;
            System.out.println("StrictOrderToKafkaTest: seed " + seed);
            broker.topics().create("trades", 6, Map.of());
            broker.topics().create("narrow", 2, Map.of("max.message.bytes", "3000"));
            for (int i = 0; i < relays.length; i++) {
                relays[i] = relay(i);
            }
            for (JavaProcess relay : relays) {
                relay.await("RUNNING", Duration.ofSeconds(60));
            }
        }

        private JavaProcess relay(int number) {
            return TradeRelayProgram.start(
                    database,
                    "relay-" + number,
                    exactlyOnce ? TradeRelayProgram.To.KAFKA_EXACTLY_ONCE : TradeRelayProgram.To.KAFKA,
                    broker.bootstrapServers());
        }

        void trade(int number) throws Exception {
            try (Trades trades = Trades.start(database, "trades", number, seed)) {
                int disturbances = 0;
                while (trades.isWriting() || disturbances < 4) {
                    disturb(disturbances++);
                }
            }
            drain();
        }

        /** First each of them once, then at random. */
        private void disturb(int turn) throws Exception {
            int relay = random.nextInt(relays.length);
            switch (turn < 4 ? turn : random.nextInt(4)) {
                case 0 -> {
                    relays[relay].kill();
                    Thread.sleep(random.nextInt(500));
                    relays[relay] = relay(relay);
                    relays[relay].await("RUNNING", Duration.ofSeconds(60));
                }
                case 1 -> {
                    relays[relay].freeze();
                    Thread.sleep(TradeRelayProgram.LEASE.multipliedBy(2).toMillis());
                    relays[relay].thaw();
                }
                case 2 -> broker.restart();
                default -> {
                    broker.freeze();
                    Thread.sleep(1000 + random.nextInt(2000));
                    broker.thaw();
                }
            }
            Thread.sleep(random.nextInt(1000));
        }

        /** A message that the topic does not take parks its key; another one of the same topic goes on. */
        void parkAndDrain() throws Exception {
            database.execute(
                    "INSERT INTO baton.outbox (topic, key, payload) SELECT 'narrow', k, json_build_object('n', n, 'text', "
                            + "CASE WHEN k = 'wide' AND n = 3 THEN repeat(md5(n::text), 200) END) "
                            + "FROM generate_series(1, 10) n, unnest(ARRAY['wide', 'slim']) k ORDER BY n");
            try (Baton baton = database.baton()) {
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> baton.subscriptions().parked(TradeRelayProgram.RELAY).stream()
                                .anyMatch(key -> key.key().equals("wide")));
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> arrived("narrow").size() == 12);
                try (var admin = broker.topics().admin()) {
                    var topic = new org.apache.kafka.common.config.ConfigResource(
                            org.apache.kafka.common.config.ConfigResource.Type.TOPIC, "narrow");
                    var wider = new org.apache.kafka.clients.admin.AlterConfigOp(
                            new org.apache.kafka.clients.admin.ConfigEntry("max.message.bytes", "1000000"),
                            org.apache.kafka.clients.admin.AlterConfigOp.OpType.SET);
                    admin.incrementalAlterConfigs(Map.of(topic, List.of(wider)))
                            .all()
                            .get();
                }
                baton.subscriptions().retry(TradeRelayProgram.RELAY, "wide", "the topic is wider now");
            }
            drain();
        }

        void rewind(long position) throws Exception {
            beforeTheRewind = arrived("trades").size();
            try (Baton baton = database.baton()) {
                baton.subscriptions().rewind(TradeRelayProgram.RELAY, position, "once more");
            }
            relays[0].kill(); // the next owner must not believe the earlier progress
            relays[0] = relay(0);
            drain();
        }

        Published afterTheRewind(long position) throws Exception {
            Map<String, List<String>> again = Published.written(
                    database,
                    "SELECT key, id FROM baton.outbox WHERE topic = 'trades' AND position > " + position
                            + " ORDER BY position");
            List<Published.Arrival> all = arrived("trades");
            // Partitions are read one after the other, so duplicates are counted by how often a message came.
            Map<String, Integer> times = new java.util.HashMap<>();
            List<Published.Arrival> second = new ArrayList<>();
            for (Published.Arrival each : all) {
                if (times.merge(each.id(), 1, Integer::sum) > 1) {
                    second.add(each);
                }
            }
            assertThat(all).hasSize(beforeTheRewind + second.size());
            return Published.compare(again, second);
        }

        private void drain() throws Exception {
            database.drain(TradeRelayProgram.RELAY, Duration.ofMinutes(4));
        }

        Published verdict(String topic) throws Exception {
            Published verdict =
                    Published.compare(Published.written(database, WRITTEN.formatted(topic)), arrived(topic));
            System.out.println("StrictOrderToKafkaTest: " + topic + " " + verdict);
            return verdict;
        }

        private List<Published.Arrival> arrived(String topic) {
            List<Published.Arrival> arrived = new ArrayList<>();
            for (ConsumerRecord<byte[], byte[]> each : broker.topics().committed(topic)) {
                arrived.add(new Published.Arrival(
                        text(each.key()),
                        text(each.headers().lastHeader("baton-id").value())));
            }
            return arrived;
        }

        private static String text(byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }

        @Override
        public void close() {
            for (JavaProcess relay : relays) {
                if (relay != null) {
                    relay.close();
                }
            }
            broker.close();
            database.close();
            server.close();
        }
    }
}
