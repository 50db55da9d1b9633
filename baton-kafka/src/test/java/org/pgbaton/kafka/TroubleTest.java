package org.pgbaton.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.pgbaton.kafka.broker.TestBroker;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/** What failures of at-least-once publishing mean. */
class TroubleTest {
    private final TestBroker broker = TestBroker.shared();

    @Test
    void aMessageThatIsTooLargeForTheProducerIsParked() throws Exception {
        String topic = broker.topics().create(1);
        try (KafkaPublisher publisher =
                KafkaPublisher.to(broker.bootstrapServers()).build()) {
            Message certainly = Outbox.put(Draft.bytes(new byte[1_100_000]).topic(topic));
            assertThatThrownBy(() -> publisher.publish(certainly, Outbox.FIRST))
                    .isInstanceOfSatisfying(
                            HandlerException.class,
                            refused -> assertThat(refused.verdict()).isEqualTo(Verdict.PARK))
                    .hasMessageContaining("too large")
                    .hasMessageContaining("1048576");
            // Only with Kafka's own overhead.
            Message barely = Outbox.put(Draft.bytes(new byte[1_048_400]).topic(topic));
            assertThat(Outbox.failed(publisher.publish(barely, Outbox.FIRST)))
                    .hasMessageContaining("larger than 1048576")
                    .extracting(HandlerException::verdict)
                    .isEqualTo(Verdict.PARK);
            Outbox.published(publisher.publish(Outbox.put(topic, "a", "small"), Outbox.FIRST));
        }
    }

    @Test
    void aMessageThatIsTooLargeForTheTopicIsParkedAndNoOther() throws Exception {
        String topic = broker.topics().create("small-messages", 1, Map.of("max.message.bytes", "10000"));
        try (KafkaPublisher publisher =
                KafkaPublisher.to(broker.bootstrapServers()).build()) {
            List<Message> messages = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                messages.add(Outbox.put(Draft.bytes(new byte[i == 10 ? 20_000 : 100])
                        .topic(topic)
                        .key("k" + i)));
            }
            List<CompletionStage<?>> stages = new ArrayList<>();
            messages.forEach(each -> stages.add(publisher.publish(each, Outbox.FIRST)));
            for (int i = 0; i < 20; i++) {
                if (i == 10) {
                    assertThat(Outbox.failed(stages.get(i)).verdict()).isEqualTo(Verdict.PARK);
                } else {
                    Outbox.published(stages.get(i));
                }
            }
        }
        assertThat(broker.topics().committed(topic)).hasSize(19);
    }

    @Test
    void aRecordThatTheTopicRefusesIsParkedAndTakesNoOtherWithIt() throws Exception {
        String topic = broker.topics().create("compacted", 1, Map.of("cleanup.policy", "compact"));
        try (KafkaPublisher publisher = KafkaPublisher.to(broker.bootstrapServers())
                .property("linger.ms", "100")
                .build()) {
            List<Draft> drafts = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                Draft draft = Draft.json("1").topic(topic);
                // A compacted topic wants keys, and says so for the whole batch.
                drafts.add(i == 5 ? draft : draft.key("k" + i));
            }
            List<CompletionStage<?>> stages = new ArrayList<>();
            Outbox.put(drafts).forEach(each -> stages.add(publisher.publish(each, Outbox.FIRST)));
            for (int i = 0; i < 10; i++) {
                if (i == 5) {
                    assertThat(Outbox.failed(stages.get(i)).verdict()).isEqualTo(Verdict.PARK);
                } else {
                    Outbox.published(stages.get(i));
                }
            }
        }
        assertThat(broker.topics().committed(topic)).hasSize(9);
    }

    /** As if the clock of this machine were wrong; messages that wait for a moment are too old for this topic. */
    @Test
    void aClockThatKafkaDoesNotBelieveParksNothing() throws Exception {
        String topic = broker.topics().create("late", 1, Map.of("message.timestamp.before.max.ms", "0"));
        try (KafkaPublisher publisher = KafkaPublisher.to(broker.bootstrapServers())
                .topic(topic)
                .property("linger.ms", "50")
                .build()) {
            assertThat(Outbox.failed(publisher.publish(Outbox.put(topic, "a", "1"), Outbox.FIRST)))
                    .hasMessageContaining("clocks")
                    .extracting(HandlerException::verdict)
                    .isEqualTo(Verdict.OUTAGE);
        }
    }

    @Test
    void aMessageWithoutAUsableTopicIsParked() {
        try (KafkaPublisher publisher =
                KafkaPublisher.to(broker.bootstrapServers()).build()) {
            for (Message message : List.of(Outbox.put(Draft.json("1")), Outbox.put("not/allowed", "a", "1"))) {
                assertThatThrownBy(() -> publisher.publish(message, Outbox.FIRST))
                        .isInstanceOfSatisfying(
                                HandlerException.class,
                                refused -> assertThat(refused.verdict()).isEqualTo(Verdict.PARK))
                        .hasMessageContaining("topic");
            }
        }
    }

    @Test
    void anUnknownTopicIsNamedAndHoldsUpNoOther() throws Exception {
        String known = broker.topics().create(1);
        try (KafkaPublisher publisher = KafkaPublisher.to(broker.bootstrapServers())
                .timeout(Duration.ofSeconds(4))
                .build()) {
            List<CompletionStage<?>> unknown = new ArrayList<>();
            long start = System.nanoTime();
            for (int i = 0; i < 50; i++) {
                unknown.add(publisher.publish(Outbox.put("nobody-made-this", "k" + i, "1"), Outbox.FIRST));
            }
            Outbox.published(publisher.publish(Outbox.put(known, "a", "1"), Outbox.FIRST));
            for (CompletionStage<?> each : unknown) {
                assertThat(Outbox.failed(each))
                        .hasMessageContaining("nobody-made-this")
                        .hasMessageContaining("does not exist")
                        .extracting(HandlerException::verdict)
                        .isEqualTo(Verdict.RETRY);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
        }
        try (KafkaPublisher publisher = KafkaPublisher.to(broker.bootstrapServers())
                .topic("nobody-made-this")
                .timeout(Duration.ofSeconds(2))
                .build()) {
            assertThat(Outbox.failed(publisher.publish(Outbox.put(known, "a", "1"), Outbox.FIRST))
                            .verdict())
                    .as("then no message can be published")
                    .isEqualTo(Verdict.OUTAGE);
        }
    }

    @Test
    void aTopicThatIsCreatedMeanwhileIsFound() throws Exception {
        try (KafkaPublisher publisher =
                KafkaPublisher.to(broker.bootstrapServers()).build()) {
            CompletionStage<?> stage = publisher.publish(Outbox.put("made-a-moment-later", "a", "1"), Outbox.FIRST);
            broker.topics().create("made-a-moment-later", 2, Map.of());
            Outbox.published(stage);
        }
    }

    @Test
    void nobodyWaitsForAKafkaThatIsAway() throws Exception {
        int nobody;
        try (ServerSocket socket = new ServerSocket(0)) {
            nobody = socket.getLocalPort();
        }
        for (String servers : List.of("127.0.0.1:" + nobody, "no-such-host.invalid:9092")) {
            try (KafkaPublisher publisher =
                    KafkaPublisher.to(servers).timeout(Duration.ofSeconds(2)).build()) {
                List<Message> messages = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    messages.add(Outbox.put("topic", "k" + i, "1"));
                }
                List<CompletionStage<?>> stages = new ArrayList<>();
                long start = System.nanoTime();
                messages.forEach(each -> stages.add(publisher.publish(each, Outbox.FIRST)));
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
                for (CompletionStage<?> each : stages) {
                    assertThat(Outbox.failed(each).verdict()).isEqualTo(Verdict.OUTAGE);
                }
            }
        }
    }

    @Test
    void aClosedPublisherPublishesNothingAndClosingDecidesEverything() throws Exception {
        String topic = broker.topics().create(1);
        KafkaPublisher publisher = KafkaPublisher.to(broker.bootstrapServers()).build();
        Outbox.published(publisher.publish(Outbox.put(topic, "a", "before"), Outbox.FIRST));
        List<CompletionStage<?>> stages = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            stages.add(publisher.publish(Outbox.put(topic, "k" + i, "during"), Outbox.FIRST));
        }
        CompletionStage<?> waiting = publisher.publish(Outbox.put("unknown-at-closing", "a", "1"), Outbox.FIRST);
        publisher.close();
        publisher.close();
        assertThat(stages)
                .allSatisfy(each -> assertThat(each.toCompletableFuture()).isCompleted());
        assertThat(Outbox.failed(waiting)).hasMessageContaining("closed");
        assertThat(Outbox.failed(publisher.publish(Outbox.put(topic, "a", "after"), Outbox.FIRST)))
                .hasMessageContaining("closed")
                .extracting(HandlerException::verdict)
                .isEqualTo(Verdict.OUTAGE);
        assertThat(broker.topics().committed(topic)).hasSize(101);
    }
}
