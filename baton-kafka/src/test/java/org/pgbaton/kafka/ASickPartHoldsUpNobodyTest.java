package org.pgbaton.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.Baton;
import org.pgbaton.kafka.broker.BrokerProcess;
import org.pgbaton.kafka.client.Records;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionBuilder;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** A partition without a leader, topics that do not exist: their keys wait, all others go on. */
@BatonTest
class ASickPartHoldsUpNobodyTest {
    /** For all others together, with time for a busy machine. */
    private static final Duration OTHERS = Duration.ofSeconds(30);

    private static final Duration SOON = Duration.ofSeconds(60);

    private static BrokerProcess first;
    private static BrokerProcess second;

    @BeforeAll
    static void start() {
        first = BrokerProcess.start();
        // Kafka's own record of transactions is made by the first that needs it, on the brokers that are there: on the
        // one that stays.
        try (KafkaTransactionalPublisher publisher = KafkaTransactionalPublisher.to(first.bootstrapServers())
                .groups(1)
                .build()) {
            publisher.open("first", 0).close();
        }
        second = first.join();
    }

    @AfterAll
    static void end() {
        second.close();
        first.close();
    }

    private static SubscriptionBuilder relay(Baton baton, String name) {
        return baton.subscription(name)
                .on("outbox")
                .attempts(1000)
                .backoff(Duration.ofMillis(100), Duration.ofSeconds(2));
    }

    /** Partition 0 at the broker that stays, partition 1 at the one that goes; everything else at the one that stays. */
    private static void create(String topic, String progress) throws Exception {
        try (Admin admin = first.topics().admin()) {
            List<NewTopic> topics = new ArrayList<>();
            topics.add(new NewTopic(topic, Map.of(0, List.of(1), 1, List.of(2))));
            topics.add(new NewTopic("baton.progress." + progress, Map.of(0, List.of(1), 1, List.of(1)))
                    .configs(Map.of("cleanup.policy", "compact")));
            admin.createTopics(topics).all().get(30, TimeUnit.SECONDS);
        }
    }

    private static boolean isSick(String key) {
        return Utils.toPositive(Utils.murmur2(Records.bytes(key))) % 2 == 1;
    }

    private static Set<String> keys(int number, boolean sick) {
        return IntStream.range(0, 10 * number)
                .mapToObj(i -> "k" + i)
                .filter(key -> isSick(key) == sick)
                .limit(number)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static void append(TestDatabase database, String topic, Set<String> keys, int round) throws Exception {
        database.execute("INSERT INTO baton.outbox (topic, key, payload) SELECT '" + topic + "', k, to_json(" + round
                + ") FROM unnest(ARRAY['" + String.join("','", keys) + "']) k");
    }

    /** What consumers of the partition that is there have by now: key and value, in order. */
    private static List<String> arrived(String topic, int partition) {
        return first.topics().partition(topic, partition).stream()
                .map(each -> Records.text(each.key()) + " " + Outbox.value(each))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"once", "least"})
    void aPartitionWithoutALeader(String how, TestDatabase database) throws Exception {
        String topic = "sick-" + how;
        create(topic, topic);
        Set<String> healthy = keys(10, false);
        Set<String> sick = keys(10, true);
        try (KafkaTransactionalPublisher once = KafkaTransactionalPublisher.to(first.bootstrapServers())
                        .groups(2)
                        .build();
                KafkaPublisher least =
                        KafkaPublisher.to(first.bootstrapServers()).build();
                Baton baton = database.baton()) {
            Subscription relay = (how.equals("once")
                            ? relay(baton, topic).publish(once)
                            : relay(baton, topic).publish(least))
                    .start();
            append(database, topic, healthy, 0);
            append(database, topic, sick, 0);
            database.drain(topic, SOON);

            second.kill();
            Set<String> all = new TreeSet<>(healthy);
            all.addAll(sick);
            int rounds = 5;
            for (int round = 1; round <= rounds; round++) {
                append(database, topic, all, round);
            }
            await().atMost(OTHERS)
                    .until(() -> arrived(topic, 0).stream().distinct().count() == healthy.size() * (rounds + 1L));
            assertThat(relay.stats().keysAside()).isBetween(1, sick.size());
            append(database, topic, healthy, rounds + 1);
            await().atMost(OTHERS)
                    .until(() -> arrived(topic, 0).stream().distinct().count() == healthy.size() * (rounds + 2L));

            second.restart();
            database.drain(topic, SOON);
            for (String key : sick) {
                List<String> ofKey = arrived(topic, 1).stream()
                        .filter(each -> each.startsWith(key + " "))
                        .toList();
                assertThat(
                                how.equals("once")
                                        ? ofKey
                                        : ofKey.stream().distinct().toList())
                        .isEqualTo(IntStream.rangeClosed(0, rounds)
                                .mapToObj(round -> key + " " + round)
                                .toList());
            }
            if (how.equals("once")) {
                assertThat(arrived(topic, 0)).doesNotHaveDuplicates();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"once", "least"})
    void fortyTopicsThatDoNotExist(String how, TestDatabase database) throws Exception {
        String topic = "there-" + how;
        first.topics().create(topic, 1, Map.of());
        try (KafkaTransactionalPublisher once = KafkaTransactionalPublisher.to(first.bootstrapServers())
                        .groups(2)
                        .build();
                KafkaPublisher least =
                        KafkaPublisher.to(first.bootstrapServers()).build();
                Baton baton = database.baton()) {
            database.execute("INSERT INTO baton.outbox (topic, key, payload) SELECT CASE WHEN n % 2 = 0 THEN '" + topic
                    + "' ELSE '" + topic + "-not-' || n END, 'k' || n, to_json(n) FROM generate_series(1, 80) n");
            SubscriptionBuilder builder = relay(baton, topic);
            (how.equals("once") ? builder.publish(once) : builder.publish(least)).start();
            await().atMost(OTHERS)
                    .until(() -> arrived(topic, 0).stream().distinct().count() == 40);
            database.execute("INSERT INTO baton.outbox (topic, key, payload) SELECT '" + topic
                    + "', 'k' || n, to_json(n) FROM generate_series(2, 80, 2) n");
            await().atMost(OTHERS).until(() -> arrived(topic, 0).size() >= 80);
        }
    }
}
