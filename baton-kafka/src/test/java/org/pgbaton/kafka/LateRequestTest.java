package org.pgbaton.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgbaton.kafka.broker.TestBroker;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Feed;
import org.pgbaton.subscription.FeedException;
import org.pgbaton.subscription.Verdict;

/** Requests that a broker gets when their sender has given them up, and answers that nobody gets. */
@Timeout(60)
class LateRequestTest {
    private static final Duration LIMIT = Duration.ofSeconds(3);
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

    @Test
    void aMessageThatWasGivenUpDoesNotArriveAfterItsFollower() throws Exception {
        String topic = broker.topics().create(1);
        Message first = Outbox.put(topic, "a", "1");
        Message second = Outbox.put(topic, "a", "2");
        try (KafkaPublisher publisher =
                KafkaPublisher.to(wire.servers()).timeout(LIMIT).build()) {
            Outbox.published(publisher.publish(Outbox.put(topic, "a", "0"), Outbox.FIRST));
            wire.hold(Wire.Request.PRODUCE);
            assertThat(Outbox.failed(publisher.publish(first, Outbox.FIRST)).verdict())
                    .isEqualTo(Verdict.OUTAGE);
            assertThat(wire.keptBack()).isPositive();
            wire.pass();
            // The producer goes on when the request that was kept back has timed out; the relay tries as long.
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> Outbox.isPublished(publisher.publish(first, Outbox.FIRST)));
            Outbox.published(publisher.publish(second, Outbox.FIRST));

            wire.deliver();
            assertThat(values(topic)).containsExactly("\"0\"", "\"1\"", "\"2\"");
            Outbox.published(publisher.publish(Outbox.put(topic, "a", "3"), Outbox.FIRST));
        }
        assertThat(values(topic)).containsExactly("\"0\"", "\"1\"", "\"2\"", "\"3\"");
    }

    @Test
    void whatAFormerOwnerHasUnderWayIsNeverSeen() throws Exception {
        String topic = broker.topics().create(1);
        List<Message> late = List.of(Outbox.put(topic, "a", "late"));
        try (KafkaTransactionalPublisher publisher = publisher();
                Feed former = publisher.open("late", 0)) {
            former.publish(List.of(Outbox.put(topic, "a", "1")), Outbox.FIRST, Map.of("at", "1"));
            wire.hold(Wire.Request.PRODUCE);
            CompletableFuture<FeedException.Kind> end = publishing(former, late, Map.of("at", "late"));
            await().until(() -> wire.keptBack() > 0);
            wire.pass();
            try (Feed owner = publisher.open("late", 0)) {
                assertThat(owner.marks()).isEqualTo(Map.of("at", "1"));
                owner.publish(List.of(Outbox.put(topic, "a", "2")), Outbox.FIRST, Map.of("at", "2"));
                wire.deliver();
                assertThat(end.get(20, TimeUnit.SECONDS)).isEqualTo(FeedException.Kind.LOST);
                owner.publish(List.of(Outbox.put(topic, "a", "3")), Outbox.FIRST, Map.of("at", "3"));
            }
            try (Feed next = publisher.open("late", 0)) {
                assertThat(next.marks()).isEqualTo(Map.of("at", "3"));
            }
        }
        assertThat(values(topic)).containsExactly("\"1\"", "\"2\"", "\"3\"");
    }

    @Test
    void aCommitWithoutAnAnswerIsFoundByTheNextOne() throws Exception {
        String topic = broker.topics().create(1);
        try (KafkaTransactionalPublisher publisher = publisher()) {
            try (Feed feed = publisher.open("unanswered", 0)) {
                wire.swallowAnswersTo(Wire.Request.END_TRANSACTION);
                assertThat(publishing(feed, List.of(Outbox.put(topic, "a", "1")), Map.of("at", "1"))
                                .get(20, TimeUnit.SECONDS))
                        .isEqualTo(FeedException.Kind.LOST);
                wire.pass();
            }
            try (Feed next = publisher.open("unanswered", 0)) {
                assertThat(next.marks()).isEqualTo(Map.of("at", "1"));
            }
        }
        assertThat(values(topic)).containsExactly("\"1\"");
    }

    @Test
    void aCommitThatComesTooLateChangesNothing() throws Exception {
        String topic = broker.topics().create(1);
        try (KafkaTransactionalPublisher publisher = publisher()) {
            try (Feed feed = publisher.open("overdue", 0)) {
                wire.hold(Wire.Request.END_TRANSACTION);
                assertThat(publishing(feed, List.of(Outbox.put(topic, "a", "1")), Map.of("at", "1"))
                                .get(20, TimeUnit.SECONDS))
                        .isEqualTo(FeedException.Kind.LOST);
                assertThat(wire.keptBack()).isPositive();
                wire.pass();
            }
            try (Feed next = publisher.open("overdue", 0)) {
                assertThat(next.marks()).isEmpty();
                wire.deliver();
                next.publish(List.of(Outbox.put(topic, "a", "again")), Outbox.FIRST, Map.of("at", "again"));
            }
            try (Feed last = publisher.open("overdue", 0)) {
                assertThat(last.marks()).isEqualTo(Map.of("at", "again"));
            }
        }
        assertThat(values(topic)).containsExactly("\"again\"");
    }

    private static KafkaTransactionalPublisher publisher() {
        return KafkaTransactionalPublisher.to(wire.servers()).timeout(LIMIT).build();
    }

    /** @return how it fails */
    private static CompletableFuture<FeedException.Kind> publishing(
            Feed feed, List<Message> messages, Map<String, String> marks) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                feed.publish(messages, Outbox.FIRST, marks);
            } catch (FeedException failed) {
                return failed.kind();
            }
            throw new CompletionException(new ExecutionException("It was published.", null));
        });
    }

    private static List<String> values(String topic) {
        return broker.topics().committed(topic).stream().map(Outbox::value).toList();
    }
}
