package org.pgbaton.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** NATS dies and freezes; the network breaks and stalls. Nothing counts as published that is not there, and it goes on by itself. */
@BatonTest
class TroubleTest {
    private JetStreams streams;
    private Outbox outbox;
    private NatsServer server;

    @BeforeEach
    void open(TestDatabase database) throws Exception {
        server = JetStreams.server();
        streams = JetStreams.open();
        outbox = new Outbox(database);
    }

    @AfterEach
    void close() {
        if (outbox != null) {
            outbox.close();
            streams.close();
        }
    }

    private NatsPublisher.Builder publisher() {
        return NatsPublisher.to(server.url());
    }

    private NatsPublisher.Builder publisher(Wire wire) {
        return NatsPublisher.to(server.url().replace(":" + server.port(), ":" + wire.port()));
    }

    private List<Message> messages(int number, String topic) {
        return outbox.put(IntStream.range(0, number)
                .mapToObj(i -> Draft.bytes(new byte[1000]).topic(topic))
                .toList());
    }

    private Message message(String topic) {
        return messages(1, topic).get(0);
    }

    @Test
    void nothingIsPublishedBeforeItIsConfirmed() throws Exception {
        try (Wire wire = new Wire(server.port());
                NatsPublisher publisher = publisher(wire).build()) {
            String stream = streams.stream();
            JetStreams.awaitPublished(publisher.publish(message(stream), Outbox.FIRST));
            Message message = message(stream);
            server.freeze();
            CompletionStage<?> stage;
            try {
                long before = wire.sent();
                stage = publisher.publish(message, Outbox.FIRST);
                await().until(() -> wire.sent() > before + 1000);
                assertThat(stage.toCompletableFuture()).isNotDone();
            } finally {
                server.thaw();
            }
            JetStreams.awaitPublished(stage);
            assertThat(streams.read(stream)).hasSize(2);
        }
    }

    @Test
    void whatWasInFlightWhenNatsWasKilledFailsAndWhatWasPublishedIsThere() throws Exception {
        try (NatsPublisher publisher = publisher().build()) {
            String stream = streams.stream();
            List<Message> messages = messages(20_000, stream);
            List<CompletionStage<?>> stages = new ArrayList<>();
            for (Message each : messages) {
                stages.add(publishOrFail(publisher, each));
                if (stages.size() == 6000) {
                    await().until(() -> stages.get(500).toCompletableFuture().isDone());
                    server.kill();
                }
            }
            int published = 0;
            int failed = 0;
            Set<String> confirmed = new LinkedHashSet<>();
            for (int i = 0; i < stages.size(); i++) {
                try {
                    stages.get(i).toCompletableFuture().join();
                    confirmed.add(messages.get(i).id().toString());
                    published++;
                } catch (CompletionException failure) {
                    assertThat(JetStreams.failure(stages.get(i)).verdict()).isEqualTo(Verdict.OUTAGE);
                    failed++;
                }
            }
            assertThat(published).isGreaterThan(500);
            assertThat(failed).isGreaterThan(500);

            server.restart();
            streams = JetStreams.open();
            Set<String> there = new LinkedHashSet<>(JetStreams.ids(streams.read(stream)));
            assertThat(there).containsAll(confirmed);
            await().atMost(Duration.ofSeconds(20)).until(() -> isPublished(publisher, message(stream)));
        }
    }

    private static CompletionStage<?> publishOrFail(NatsPublisher publisher, Message message) {
        try {
            return publisher.publish(message, Outbox.FIRST);
        } catch (HandlerException tooMany) {
            return java.util.concurrent.CompletableFuture.failedFuture(tooMany);
        }
    }

    private static boolean isPublished(NatsPublisher publisher, Message message) throws Exception {
        try {
            JetStreams.awaitPublished(publisher.publish(message, Outbox.FIRST));
            return true;
        } catch (java.util.concurrent.ExecutionException failed) {
            return false;
        }
    }

    @Test
    void itGoesOnThroughRestartsAndCutsInOrderAndWithoutLoss() throws Exception {
        String stream = streams.stream();
        try (Wire wire = new Wire(server.port());
                NatsPublisher publisher =
                        publisher(wire).timeout(Duration.ofSeconds(3)).build()) {
            List<Message> messages = outbox.put(IntStream.range(0, 9000)
                    .mapToObj(i -> Draft.json("{}").topic(stream).key("key-" + i % 30))
                    .toList());
            TestRelay relay = TestRelay.start(publisher, messages);
            awaitArrived(stream, 200);
            wire.cut();
            awaitArrived(stream, 600);
            server.stop();
            server.restart();
            streams = JetStreams.open();
            awaitArrived(stream, 1200);
            wire.cut();
            relay.awaitEnd(Duration.ofSeconds(30));

            // Each message's first arrival, key by key.
            Map<String, Set<String>> arrived = new HashMap<>();
            streams.read(stream)
                    .forEach(each -> arrived.computeIfAbsent(
                                    JetStreams.header(each, "baton-key"), k -> new LinkedHashSet<>())
                            .add(JetStreams.header(each, "Nats-Msg-Id")));
            Map<String, List<String>> sent = new HashMap<>();
            messages.forEach(each -> sent.computeIfAbsent(each.key(), k -> new ArrayList<>())
                    .add(each.id().toString()));
            assertThat(arrived).hasSameSizeAs(sent);
            sent.forEach((key, ids) -> assertThat(List.copyOf(arrived.get(key))).isEqualTo(ids));
            assertThat(relay.failures()).isGreaterThan(30);
        }
    }

    private void awaitArrived(String stream, int number) {
        await().atMost(Duration.ofSeconds(40)).until(() -> streams.count(stream) >= number);
    }

    @Test
    void aCutConnectionFailsWhatIsInFlightAtOnceAndTheNextMessageConnectsAgain() throws Exception {
        try (Wire wire = new Wire(server.port());
                NatsPublisher publisher =
                        publisher(wire).timeout(Duration.ofSeconds(30)).build()) {
            String stream = streams.stream();
            JetStreams.awaitPublished(publisher.publish(message(stream), Outbox.FIRST));
            wire.stall(true);
            long before = wire.sent();
            List<CompletionStage<?>> stages = new ArrayList<>();
            for (Message each : messages(50, stream)) {
                stages.add(publisher.publish(each, Outbox.FIRST));
            }
            await().until(() -> wire.sent() > before + 50_000);
            assertThat(stages).noneMatch(each -> each.toCompletableFuture().isDone());
            wire.cut();
            wire.stall(false);
            for (CompletionStage<?> each : stages) {
                HandlerException failure = JetStreams.failure(each, Duration.ofSeconds(10));
                assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
                assertThat(failure).hasMessageContaining("was lost");
            }
            JetStreams.awaitPublished(publisher.publish(message(stream), Outbox.FIRST));
            assertThat(wire.connections()).isEqualTo(2);
        }
    }

    /** The client hangs in a write, because nobody reads: 22 MB do not fit into any buffer on the way. */
    @Test
    void aStalledConnectionFailsInTimeAndPublishNeverWaits() throws Exception {
        try (Wire wire = new Wire(server.port());
                NatsPublisher publisher =
                        publisher(wire).timeout(Duration.ofSeconds(3)).build()) {
            String stream = streams.stream();
            JetStreams.awaitPublished(publisher.publish(message(stream), Outbox.FIRST));
            List<Message> large = outbox.put(IntStream.range(0, 150)
                    .mapToObj(i -> Draft.bytes(new byte[150_000]).topic(stream))
                    .toList());
            wire.stall(true);
            List<CompletionStage<?>> stages = new ArrayList<>();
            long start = System.nanoTime();
            for (Message each : large) {
                stages.add(publisher.publish(each, Outbox.FIRST));
            }
            assertThat(System.nanoTime() - start)
                    .as("less than the time-out")
                    .isLessThan(Duration.ofSeconds(3).toNanos());
            for (CompletionStage<?> each : stages) {
                JetStreams.failure(each, Duration.ofSeconds(10));
            }
            wire.stall(false);
            await().atMost(Duration.ofSeconds(10)).until(() -> isPublished(publisher, message(stream)));
            assertThat(streams.count(stream))
                    .as("the rest of the stalled ones did not come after all")
                    .isLessThan(150);
        }
    }

    @Test
    void aNatsThatAnswersNothingFailsInTimeWhetherTheMessageWasSentOrNot() throws Exception {
        try (NatsPublisher publisher =
                publisher().timeout(Duration.ofSeconds(1)).build()) {
            String stream = streams.stream();
            JetStreams.awaitPublished(publisher.publish(message(stream), Outbox.FIRST));
            List<Message> messages = messages(3, stream);
            server.freeze();
            try {
                CompletionStage<?> sent = publisher.publish(messages.get(0), Outbox.FIRST);
                CompletionStage<?> alsoSent = publisher.publish(messages.get(1), Outbox.FIRST);
                HandlerException failure = JetStreams.failure(sent, Duration.ofSeconds(10));
                assertThat(failure.verdict()).isEqualTo(Verdict.RETRY);
                assertThat(failure).hasMessageContaining("did not acknowledge");
                assertThat(JetStreams.failure(alsoSent, Duration.ofSeconds(10)).verdict())
                        .isIn(Verdict.OUTAGE, Verdict.RETRY);
                HandlerException unsent =
                        JetStreams.failure(publisher.publish(messages.get(2), Outbox.FIRST), Duration.ofSeconds(10));
                assertThat(unsent.verdict()).isEqualTo(Verdict.OUTAGE);
            } finally {
                server.thaw();
            }
            await().atMost(Duration.ofSeconds(20)).until(() -> isPublished(publisher, message(stream)));
            assertThat(JetStreams.ids(streams.read(stream)))
                    .as("what failed before it was sent was not sent afterwards")
                    .doesNotContain(messages.get(2).id().toString());
        }
    }

    @Test
    void closingUnderLoadLetsWhatIsInFlightFinishAndTakesNothingMore() throws Exception {
        String stream = streams.stream();
        List<Message> messages = messages(2000, stream);
        List<CompletionStage<?>> stages = new ArrayList<>();
        NatsPublisher publisher = publisher().build();
        for (Message each : messages) {
            stages.add(publisher.publish(each, Outbox.FIRST));
        }
        publisher.close();
        assertThat(stages).allMatch(each -> each.toCompletableFuture().isDone());
        assertThat(stages).noneMatch(each -> each.toCompletableFuture().isCompletedExceptionally());
        assertThat(streams.read(stream)).hasSize(2000);
        assertThatThrownBy(() -> publisher.publish(messages.get(0), Outbox.FIRST))
                .isInstanceOfSatisfying(
                        HandlerException.class, e -> assertThat(e.verdict()).isEqualTo(Verdict.OUTAGE))
                .hasMessageContaining("was closed");
        publisher.close();
        await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(each -> each.startsWith("baton-nats")));
    }

    @Test
    void closingDoesNotWaitForANatsThatAnswersNothing() throws Exception {
        String stream = streams.stream();
        List<Message> messages = messages(10, stream);
        NatsPublisher publisher = publisher().timeout(Duration.ofMinutes(5)).build();
        JetStreams.awaitPublished(publisher.publish(messages.get(0), Outbox.FIRST));
        server.freeze();
        try {
            List<CompletionStage<?>> stages = new ArrayList<>();
            for (Message each : messages) {
                stages.add(publisher.publish(each, Outbox.FIRST));
            }
            long start = System.nanoTime();
            publisher.close();
            assertThat(System.nanoTime() - start)
                    .isLessThan(Duration.ofSeconds(30).toNanos());
            for (CompletionStage<?> each : stages) {
                assertThat(each.toCompletableFuture()).isDone();
                assertThat(JetStreams.failure(each).verdict()).isEqualTo(Verdict.OUTAGE);
            }
        } finally {
            server.thaw();
        }
    }

    @Test
    void whileNatsIsAwayMessagesFailAtOnceAndItIsTriedMoreAndMoreRarely() throws Exception {
        Message message = message("t");
        try (Wire wire = new Wire(1); // leads nowhere
                NatsPublisher publisher = publisher(wire).build()) {
            int failures = 0;
            HandlerException failure = JetStreams.failure(publisher.publish(message, Outbox.FIRST));
            long end = System.nanoTime() + Duration.ofSeconds(2).toNanos();
            while (System.nanoTime() < end) {
                failure = JetStreams.failure(publisher.publish(message, Outbox.FIRST));
                assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
                failures++;
            }
            assertThat(failure.pause()).isPositive();
            // 0.1, 0.2, 0.4, 0.8 s; or half of each.
            assertThat(wire.refused()).isBetween(3, 8);
            assertThat(failures).as("without a connection attempt each").isGreaterThan(5 * wire.refused());
        }
    }
}
