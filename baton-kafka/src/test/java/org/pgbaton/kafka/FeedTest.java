package org.pgbaton.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.pgbaton.kafka.broker.TestBroker;
import org.pgbaton.kafka.client.Records;
import org.pgbaton.kafka.client.TopicNames;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Feed;
import org.pgbaton.subscription.FeedException;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/** Messages and marks together or not at all, and only from whoever has the feed. */
class FeedTest {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final TestBroker broker = TestBroker.shared();
    private final String relay = "relay-" + NUMBER.incrementAndGet();
    private final KafkaTransactionalPublisher publisher = KafkaTransactionalPublisher.to(broker.bootstrapServers())
            .groups(3)
            .timeout(Duration.ofSeconds(12))
            .build();

    @AfterEach
    void close() {
        publisher.close();
    }

    @Test
    void whatOnePublishesTheNextOneKnows() {
        String topic = broker.topics().create(2);
        try (Feed first = publisher.open(relay, 1)) {
            assertThat(first.marks()).isEmpty();
            first.publish(List.of(Outbox.put(topic, "a", "1")), Outbox.FIRST, Map.of("lane 4", "17 x", "ü", "Ö"));
            first.publish(List.of(Outbox.put(topic, "a", "2")), Outbox.FIRST, Map.of("lane 4", "18 y", "key b", "3"));
            first.publish(List.of(), Outbox.FIRST, Map.of("key b", ""));
            first.publish(List.of(), Outbox.FIRST, Map.of());
        }
        try (Feed second = publisher.open(relay, 1)) {
            assertThat(second.marks()).isEqualTo(Map.of("lane 4", "18 y", "ü", "Ö"));
        }
        try (Feed other = publisher.open(relay, 2)) {
            assertThat(other.marks()).as("each group has its own").isEmpty();
        }
        assertThat(values(topic)).containsExactly("\"1\"", "\"2\"");
    }

    /** Without names of their own the second one would take the feed away from the first, and read its marks. */
    @Test
    void relaysOfOneNameOnTwoDatabasesDoNotMeet() {
        String topic = broker.topics().create(1);
        try (KafkaTransactionalPublisher one = of("orders-1");
                KafkaTransactionalPublisher two = of("orders-2");
                Feed first = one.open(relay, 0);
                Feed second = two.open(relay, 0)) {
            first.publish(List.of(Outbox.put(topic, "a", "1")), Outbox.FIRST, Map.of("at", "1"));
            second.publish(List.of(Outbox.put(topic, "b", "2")), Outbox.FIRST, Map.of("at", "7"));
            first.publish(List.of(Outbox.put(topic, "a", "3")), Outbox.FIRST, Map.of("at", "2"));
            Message forged = Outbox.put(TopicNames.progress("baton", "orders-2." + relay), "group", "forged");
            assertThat(failure(first, List.of(forged), Map.of()).verdict()).isEqualTo(Verdict.PARK);
        }
        try (KafkaTransactionalPublisher one = of("orders-1");
                KafkaTransactionalPublisher two = of("orders-2");
                Feed first = one.open(relay, 0);
                Feed second = two.open(relay, 0)) {
            assertThat(first.marks()).isEqualTo(Map.of("at", "2"));
            assertThat(second.marks()).isEqualTo(Map.of("at", "7"));
        }
        assertThat(values(topic)).containsExactly("\"1\"", "\"2\"", "\"3\"");
    }

    private KafkaTransactionalPublisher of(String database) {
        return KafkaTransactionalPublisher.to(broker.bootstrapServers())
                .database(database)
                .groups(1)
                .timeout(Duration.ofSeconds(12))
                .build();
    }

    @Test
    void manyMessagesOfManyKeysArriveInOrder() {
        String topic = broker.topics().create(4);
        List<Message> messages = Outbox.put(IntStream.range(0, 3000)
                .mapToObj(i -> Draft.json(Integer.toString(i)).topic(topic).key("key-" + i % 37))
                .toList());
        try (Feed feed = publisher.open(relay, 0)) {
            for (int i = 0; i < messages.size(); i += 500) {
                feed.publish(messages.subList(i, i + 500), Outbox.FIRST, Map.of("at", Integer.toString(i + 500)));
            }
        }

        Map<String, List<String>> arrived = new HashMap<>();
        for (ConsumerRecord<byte[], byte[]> each : broker.topics().committed(topic)) {
            arrived.computeIfAbsent(Records.text(each.key()), key -> new ArrayList<>())
                    .add(Outbox.id(each));
        }
        Map<String, List<String>> written = new HashMap<>();
        messages.forEach(each -> written.computeIfAbsent(each.key(), key -> new ArrayList<>())
                .add(each.id().toString()));
        assertThat(arrived).isEqualTo(written);
    }

    @Test
    void whoeverLostTheFeedPublishesNothing() {
        String topic = broker.topics().create(1);
        try (Feed zombie = publisher.open(relay, 0)) {
            zombie.publish(List.of(Outbox.put(topic, "a", "1")), Outbox.FIRST, Map.of("at", "1"));
            try (Feed owner = publisher.open(relay, 0)) {
                assertThat(owner.marks()).isEqualTo(Map.of("at", "1"));
                assertThat(failure(zombie, List.of(Outbox.put(topic, "a", "zombie")), Map.of("at", "zombie"))
                                .kind())
                        .isEqualTo(FeedException.Kind.LOST);
                owner.publish(List.of(Outbox.put(topic, "a", "2")), Outbox.FIRST, Map.of("at", "2"));
                assertThat(failure(zombie, List.of(), Map.of("at", "zombie")))
                        .hasMessageContaining("opened again")
                        .extracting(FeedException::kind)
                        .isEqualTo(FeedException.Kind.LOST);
            }
        }
        try (Feed next = publisher.open(relay, 0)) {
            assertThat(next.marks()).isEqualTo(Map.of("at", "2"));
        }
        assertThat(values(topic)).containsExactly("\"1\"", "\"2\"");
    }

    @Test
    void oneMessageThatIsRefusedAbortsAllAndIsNamed() {
        String topic = broker.topics().create(relay + "-small", 1, Map.of("max.message.bytes", "10000"));
        String compacted = broker.topics().create(relay + "-compacted", 1, Map.of("cleanup.policy", "compact"));
        Message fine = Outbox.put(topic, "a", "fine");
        List<Message> bad = List.of(
                Outbox.put(Draft.bytes(new byte[2_000_000]).topic(topic).key("certainly too large")),
                Outbox.put(Draft.bytes(new byte[1_048_500]).topic(topic).key("barely too large")),
                Outbox.put(Draft.bytes(new byte[50_000]).topic(topic).key("too large for the topic")),
                Outbox.put(Draft.json("1").topic(compacted)),
                Outbox.put("not/allowed", "bad topic", "1"),
                Outbox.put(Draft.json("1").key("no topic")));
        try (Feed feed = publisher.open(relay, 0)) {
            for (Message each : bad) {
                FeedException refused =
                        failure(feed, List.of(fine, each, Outbox.put(compacted, "b", "fine")), Map.of("at", "bad"));
                assertThat(refused.kind()).as(refused.getMessage()).isEqualTo(FeedException.Kind.MESSAGE);
                assertThat(refused.troubled()).isSameAs(each);
                assertThat(refused.verdict()).isEqualTo(Verdict.PARK);
            }
            feed.publish(List.of(fine), Outbox.FIRST, Map.of("at", "1"));
        }
        try (Feed next = publisher.open(relay, 0)) {
            assertThat(next.marks()).isEqualTo(Map.of("at", "1"));
        }
        assertThat(values(topic)).containsExactly("\"fine\"");
        assertThat(values(compacted)).isEmpty();
    }

    private static boolean isPublished(Feed feed, List<Message> messages, Map<String, String> marks) {
        try {
            feed.publish(messages, Outbox.FIRST, marks);
            return true;
        } catch (FeedException notYet) {
            assertThat(notYet.kind()).isEqualTo(FeedException.Kind.MESSAGE);
            return false;
        }
    }

    @Test
    void anUnknownTopicIsWaitedForOnlyOnce() {
        String topic = broker.topics().create(1);
        String unknown = relay + "-unknown";
        List<Message> messages = List.of(Outbox.put(topic, "a", "1"), Outbox.put(unknown, "b", "1"));
        try (Feed feed = publisher.open(relay, 0)) {
            FeedException first = failure(feed, messages, Map.of("at", "1"));
            assertThat(first.kind()).isEqualTo(FeedException.Kind.MESSAGE);
            assertThat(first.troubled()).isSameAs(messages.get(1));
            assertThat(first.verdict()).isEqualTo(Verdict.RETRY);
            assertThat(first).hasMessageContaining(unknown).hasMessageContaining("does not exist");

            long start = System.nanoTime();
            for (int i = 0; i < 5; i++) {
                assertThat(failure(feed, messages, Map.of("at", "1")).troubled())
                        .isSameAs(messages.get(1));
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));

            broker.topics().create(unknown, 1, Map.of());
            // A topic that was created a moment ago is not known everywhere; the relay tries again.
            await().atMost(Duration.ofSeconds(20)).until(() -> isPublished(feed, messages, Map.of("at", "2")));
        }
        assertThat(values(topic)).hasSize(1);
        assertThat(values(unknown)).hasSize(1);
    }

    @Test
    void aProgressTopicThatIsNotAsItMustBeIsRefused() {
        broker.topics().create("baton.progress." + relay, 5, Map.of("cleanup.policy", "compact"));
        assertThatThrownBy(() -> publisher.open(relay, 0))
                .isInstanceOfSatisfying(
                        HandlerException.class,
                        refused -> assertThat(refused.verdict()).isEqualTo(Verdict.STOP))
                .hasMessageContaining("5 partitions")
                .hasMessageContaining("groups(5)");
        broker.topics().create("baton.progress." + relay + "-2", 3, Map.of("cleanup.policy", "delete"));
        assertThatThrownBy(() -> publisher.open(relay + "-2", 0))
                .isInstanceOfSatisfying(
                        HandlerException.class,
                        refused -> assertThat(refused.verdict()).isEqualTo(Verdict.STOP))
                .hasMessageContaining("cleanup.policy=delete");
        assertThatThrownBy(() -> publisher.open(relay, 3)).hasMessageContaining("no group 3");
    }

    @Test
    void anySubscriptionsNameWillDo() {
        String strange = "Kontostände / " + relay + " " + "x".repeat(150);
        try (Feed feed = publisher.open(strange, 0)) {
            feed.publish(List.of(), Outbox.FIRST, Map.of("at", "1"));
        }
        try (Feed feed = publisher.open(strange, 0)) {
            assertThat(feed.marks()).isEqualTo(Map.of("at", "1"));
        }
        assertThat(TopicNames.progress("baton", "orders-out")).isEqualTo("baton.progress.orders-out");
        assertThat(TopicNames.progress("p", "a/b")).isNotEqualTo(TopicNames.progress("p", "a b"));
        assertThat(TopicNames.progress("p".repeat(100), "ü".repeat(200)).length())
                .isLessThan(250);
    }

    @Test
    void closingUnderLoadLeavesWholeTransactionsOnly() throws Exception {
        String topic = broker.topics().create(3);
        List<Message> messages = Outbox.put(IntStream.range(0, 200)
                .mapToObj(i -> Draft.json(Integer.toString(i)).topic(topic).key("key-" + i % 7))
                .toList());
        Feed feed = publisher.open(relay, 0);
        AtomicInteger committed = new AtomicInteger();
        CompletableFuture<FeedException> end = CompletableFuture.supplyAsync(() -> {
            while (true) {
                try {
                    feed.publish(messages, Outbox.FIRST, Map.of("at", Integer.toString(committed.get() + 1)));
                    committed.incrementAndGet();
                } catch (FeedException over) {
                    return over;
                }
            }
        });
        while (committed.get() < 5) {
            Thread.onSpinWait();
        }
        long start = System.nanoTime();
        feed.close();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
        assertThat(end.get(20, TimeUnit.SECONDS).kind()).isEqualTo(FeedException.Kind.LOST);
        feed.close();

        try (Feed next = publisher.open(relay, 0)) {
            int last = Integer.parseInt(next.marks().get("at"));
            // The last one may have been committed although closing came before the answer.
            assertThat(last).isBetween(committed.get(), committed.get() + 1);
            assertThat(values(topic)).hasSize(last * messages.size());
        }
    }

    @Test
    void severalThreadsTakeTurns() throws Exception {
        String topic = broker.topics().create(1);
        try (Feed feed = publisher.open(relay, 0)) {
            List<CompletableFuture<?>> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Message message = Outbox.put(topic, "k" + i, "1");
                String mark = "m" + i;
                all.add(CompletableFuture.runAsync(() -> {
                    for (int n = 0; n < 10; n++) {
                        feed.publish(List.of(message), Outbox.FIRST, Map.of(mark, Integer.toString(n)));
                    }
                }));
            }
            CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new)).get(30, TimeUnit.SECONDS);
        }
        assertThat(values(topic)).hasSize(40);
        try (Feed next = publisher.open(relay, 0)) {
            assertThat(next.marks()).isEqualTo(Map.of("m0", "9", "m1", "9", "m2", "9", "m3", "9"));
        }
    }

    @Test
    void anInterruptedPublisherLosesTheFeedAndItsThreadStaysInterrupted() {
        String topic = broker.topics().create(1);
        List<Message> one = List.of(Outbox.put(topic, "a", "1"));
        try (Feed feed = publisher.open(relay, 0)) {
            feed.publish(one, Outbox.FIRST, Map.of("at", "1"));
            Thread.currentThread().interrupt();
            FeedException failed = failure(feed, one, Map.of("at", "2"));
            assertThat(Thread.interrupted()).isTrue();
            assertThat(failed.kind()).isIn(FeedException.Kind.LOST, FeedException.Kind.OUTAGE);
        }
        try (Feed next = publisher.open(relay, 0)) {
            assertThat(values(topic)).hasSize(Integer.parseInt(next.marks().get("at")));
        }
    }

    private static FeedException failure(Feed feed, List<Message> messages, Map<String, String> marks) {
        FeedException failure =
                catchThrowableOfType(FeedException.class, () -> feed.publish(messages, Outbox.FIRST, marks));
        assertThat(failure).isNotNull();
        return failure;
    }

    private List<String> values(String topic) {
        return broker.topics().committed(topic).stream().map(Outbox::value).toList();
    }
}
