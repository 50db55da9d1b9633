package org.pgbaton.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.kafka.broker.TestBroker;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/** At least once, messages of a key that are handed over together: wherever one is refused, nothing behind it arrives. */
class NoHoleInAGroupTest {
    private static final int MESSAGES = 12;
    private static final Duration LIMIT = Duration.ofSeconds(4);

    private static Wire wire;
    private static TestBroker broker;

    @BeforeAll
    static void start() throws IOException {
        wire = new Wire();
        broker = TestBroker.with().behind(wire.port()).start();
        wire.leadTo(broker.bootstrapServers());
    }

    @AfterAll
    static void end() throws IOException {
        wire.close();
        broker.close();
    }

    @AfterEach
    void passEverything() {
        wire.pass();
    }

    /** Kafka's client takes such a batch apart, and sends the parts one after the other. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 5, 10, 11})
    void aMessageThatIsTooLargeForTheTopic(int place) throws Exception {
        String topic = broker.topics().create("small-" + place, 1, Map.of("max.message.bytes", "10000"));
        List<Message> messages = messages(topic, "a", place);
        List<Message> others = messages(topic, "b", -1);
        try (KafkaPublisher publisher = KafkaPublisher.to(wire.servers()).build()) {
            for (int attempt = 0; attempt < 2; attempt++) {
                CompletionStage<?> group = publisher.publishInOrder(messages, Outbox.FIRST);
                CompletionStage<?> other = publisher.publishInOrder(others, Outbox.FIRST);
                HandlerException failed = Outbox.failed(group);
                assertThat(failed.verdict()).isEqualTo(Verdict.PARK);
                assertThat(failed.troubled()).isSameAs(messages.get(place));
                Outbox.published(other);
            }
        }
        assertThat(firsts(topic, "a")).containsExactlyElementsOf(ids(messages.subList(0, place)));
        assertThat(firsts(topic, "b")).containsExactlyElementsOf(ids(others));
    }

    /** A compacted topic wants keys, and refuses the whole batch in which one is missing. */
    @Test
    void aBatchThatIsRefusedBecauseOfAnotherMessage() throws Exception {
        String topic = broker.topics().create("compacted", 1, Map.of("cleanup.policy", "compact"));
        List<Message> messages = messages(topic, "a", -1);
        Message poison = Outbox.put(Draft.json("1").topic(topic));
        List<Message> others = messages(topic, "b", -1);
        try (KafkaPublisher publisher = KafkaPublisher.to(wire.servers()).build()) {
            CompletionStage<?> group = publisher.publishInOrder(messages, Outbox.FIRST);
            CompletionStage<?> refused = publisher.publish(poison, Outbox.FIRST);
            CompletionStage<?> other = publisher.publishInOrder(others, Outbox.FIRST);
            assertThat(Outbox.failed(refused).verdict()).isEqualTo(Verdict.PARK);
            Outbox.published(group);
            Outbox.published(other);
        }
        assertThat(arrived(topic, "a")).containsExactlyElementsOf(ids(messages));
        assertThat(arrived(topic, "b")).containsExactlyElementsOf(ids(others));
    }

    /** The first part of a batch that was taken apart is refused, and the others wait behind it in Kafka's client. */
    @Test
    void aBatchThatIsTooLargeAndRefusedBecauseOfAnotherMessage() throws Exception {
        String topic =
                broker.topics().create("both", 1, Map.of("cleanup.policy", "compact", "max.message.bytes", "10000"));
        Message poison = Outbox.put(Draft.json("1").topic(topic));
        List<Draft> drafts = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            drafts.add(Draft.bytes(new byte[1000]).topic(topic).key("a"));
        }
        List<Message> messages = Outbox.put(drafts);
        try (KafkaPublisher publisher = KafkaPublisher.to(wire.servers()).build()) {
            Outbox.published(publisher.publish(Outbox.put(topic, "known", "1"), Outbox.FIRST));
            CompletionStage<?> first = publisher.publish(Outbox.put(topic, "b", "1"), Outbox.FIRST);
            CompletionStage<?> refused = publisher.publish(poison, Outbox.FIRST);
            CompletionStage<?> group = publisher.publishInOrder(messages, Outbox.FIRST);
            Outbox.published(first);
            assertThat(Outbox.failed(refused).verdict()).isEqualTo(Verdict.PARK);
            Outbox.published(group);
        }
        assertThat(firsts(topic, "a")).containsExactlyElementsOf(ids(messages));
    }

    @Test
    void aMessageThatKafkaWouldNeverTake() throws Exception {
        String topic = broker.topics().create(1);
        List<Message> messages = messages(topic, "a", -1);
        messages.set(7, Outbox.put("not/allowed", "a", "1"));
        try (KafkaPublisher publisher = KafkaPublisher.to(wire.servers()).build()) {
            HandlerException failed = Outbox.failed(publisher.publishInOrder(messages, Outbox.FIRST));
            assertThat(failed.verdict()).isEqualTo(Verdict.PARK);
            assertThat(failed.troubled()).isSameAs(messages.get(7));
        }
        assertThat(arrived(topic, "a")).containsExactlyElementsOf(ids(messages.subList(0, 7)));
    }

    @Test
    void whatGoesToAnotherTopicWaitsForWhatComesBefore() throws Exception {
        String small = broker.topics().create("first", 1, Map.of("max.message.bytes", "10000"));
        String other = broker.topics().create(1);
        List<Message> messages = new ArrayList<>(messages(small, "a", 4).subList(0, 5));
        messages.addAll(messages(other, "a", -1));
        try (KafkaPublisher publisher = KafkaPublisher.to(wire.servers()).build()) {
            assertThat(Outbox.failed(publisher.publishInOrder(messages, Outbox.FIRST))
                            .troubled())
                    .isSameAs(messages.get(4));
            assertThat(broker.topics().committed(other)).isEmpty();
            Outbox.published(publisher.publishInOrder(messages.subList(5, messages.size()), Outbox.FIRST));
        }
        assertThat(arrived(other, "a")).containsExactlyElementsOf(ids(messages.subList(5, messages.size())));
    }

    @Test
    void aBatchWithoutAnAnswer() throws Exception {
        String topic = broker.topics().create(1);
        List<Message> messages = messages(topic, "a", -1);
        try (KafkaPublisher publisher =
                KafkaPublisher.to(wire.servers()).timeout(LIMIT).build()) {
            Outbox.published(publisher.publish(messages.get(0), Outbox.FIRST));
            wire.hold(Wire.Request.PRODUCE);
            List<Message> left = messages.subList(1, messages.size());
            HandlerException failed = Outbox.failed(publisher.publishInOrder(left, Outbox.FIRST));
            assertThat(failed.verdict()).isEqualTo(Verdict.OUTAGE);
            assertThat(failed.troubled()).isSameAs(left.get(0));
            wire.pass();
            // The producer goes on when the request that was kept back has timed out; the relay tries as long.
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> Outbox.isPublished(publisher.publishInOrder(left, Outbox.FIRST)));
            wire.deliver();
        }
        assertThat(firsts(topic, "a")).containsExactlyElementsOf(ids(messages));
    }

    @Test
    void manyMessagesTakeFewRequests() throws Exception {
        String topic = broker.topics().create(1);
        List<Draft> drafts = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            drafts.add(Draft.bytes(new byte[100]).topic(topic).key("a"));
        }
        List<Message> messages = Outbox.put(drafts);
        try (KafkaPublisher publisher = KafkaPublisher.to(wire.servers()).build()) {
            Outbox.published(publisher.publish(Outbox.put(topic, "a", "known"), Outbox.FIRST));
            int before = wire.seen(Wire.Request.PRODUCE);
            Outbox.published(publisher.publishInOrder(messages, Outbox.FIRST));
            assertThat(wire.seen(Wire.Request.PRODUCE) - before).isBetween(2, 9);
        }
        assertThat(arrived(topic, "a").subList(1, 1001)).containsExactlyElementsOf(ids(messages));
    }

    /** @param large which of them is larger than 10,000 bytes; -1 for none */
    private static List<Message> messages(String topic, String key, int large) {
        List<Draft> drafts = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            drafts.add(Draft.bytes(new byte[i == large ? 20_000 : 100])
                    .topic(topic)
                    .key(key));
        }
        return new ArrayList<>(Outbox.put(drafts));
    }

    private static List<String> ids(List<Message> messages) {
        return messages.stream().map(message -> message.id().toString()).toList();
    }

    private static List<String> arrived(String topic, String key) {
        return broker.topics().committed(topic).stream()
                .filter(record -> key.equals(Outbox.key(record)))
                .map(Outbox::id)
                .toList();
    }

    /** In the order of their first arrival: after a refusal, what was in flight may come again. */
    private static List<String> firsts(String topic, String key) {
        return List.copyOf(new LinkedHashSet<>(arrived(topic, key)));
    }
}
