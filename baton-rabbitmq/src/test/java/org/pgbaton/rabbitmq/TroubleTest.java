package org.pgbaton.rabbitmq;

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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** RabbitMQ dies, freezes, blocks; the network breaks and stalls. Nothing counts as published that is not there, and it goes on by itself. */
@BatonTest
class TroubleTest {
    private Rabbit rabbit;
    private Outbox outbox;
    private RabbitServer server;

    @BeforeEach
    void open(TestDatabase database) throws Exception {
        server = Rabbit.server();
        rabbit = Rabbit.open();
        outbox = new Outbox(database);
    }

    @AfterEach
    void close() {
        if (outbox != null) {
            outbox.close();
            rabbit.close();
        }
    }

    private RabbitPublisher.Builder publisher() {
        return RabbitPublisher.to(server.uri());
    }

    private RabbitPublisher.Builder publisher(Wire wire) {
        return RabbitPublisher.to(server.uri().replace(":" + server.port(), ":" + wire.port()));
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
                RabbitPublisher publisher = publisher(wire).build()) {
            String queue = rabbit.queue();
            Rabbit.awaitPublished(publisher.publish(message(queue), Outbox.FIRST));
            Message message = message(queue);
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
            Rabbit.awaitPublished(stage);
            assertThat(rabbit.drain(queue)).hasSize(2);
        }
    }

    @Test
    void whatWasInFlightWhenRabbitMqWasKilledFailsAndWhatWasPublishedIsThere() throws Exception {
        try (RabbitPublisher publisher = publisher().build()) {
            String queue = rabbit.queue();
            server.writeDown();
            List<Message> messages = messages(20_000, queue);
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
                    assertThat(Rabbit.failure(stages.get(i)).verdict()).isEqualTo(Verdict.OUTAGE);
                    failed++;
                }
            }
            assertThat(published).isGreaterThan(500);
            assertThat(failed).isGreaterThan(500);

            server.restart();
            rabbit = Rabbit.open();
            Set<String> there = new LinkedHashSet<>(Rabbit.ids(rabbit.drain(queue)));
            assertThat(there).containsAll(confirmed);
            await().atMost(Duration.ofSeconds(20)).until(() -> isPublished(publisher, message(queue)));
        }
    }

    private static CompletionStage<?> publishOrFail(RabbitPublisher publisher, Message message) {
        try {
            return publisher.publish(message, Outbox.FIRST);
        } catch (HandlerException tooMany) {
            return java.util.concurrent.CompletableFuture.failedFuture(tooMany);
        }
    }

    private static boolean isPublished(RabbitPublisher publisher, Message message) throws Exception {
        try {
            Rabbit.awaitPublished(publisher.publish(message, Outbox.FIRST));
            return true;
        } catch (java.util.concurrent.ExecutionException failed) {
            return false;
        }
    }

    @Test
    void itGoesOnThroughRestartsAndCutsInOrderAndWithoutLoss() throws Exception {
        String queue = rabbit.queue();
        try (Wire wire = new Wire(server.port());
                RabbitPublisher publisher =
                        publisher(wire).timeout(Duration.ofSeconds(3)).build()) {
            List<Message> messages = outbox.put(IntStream.range(0, 9000)
                    .mapToObj(i -> Draft.json("{}").topic(queue).key("key-" + i % 30))
                    .toList());
            TestRelay relay = TestRelay.start(publisher, messages);
            awaitArrived(queue, 200);
            wire.cut();
            awaitArrived(queue, 600);
            server.stop();
            server.restart();
            rabbit = Rabbit.open();
            awaitArrived(queue, 1200);
            wire.cut();
            relay.awaitEnd(Duration.ofSeconds(30));

            // Each message's first arrival, key by key.
            Map<String, Set<String>> arrived = new HashMap<>();
            rabbit.drain(queue)
                    .forEach(each -> arrived.computeIfAbsent(Rabbit.key(each), k -> new LinkedHashSet<>())
                            .add(each.getProps().getMessageId()));
            Map<String, List<String>> sent = new HashMap<>();
            messages.forEach(each -> sent.computeIfAbsent(each.key(), k -> new ArrayList<>())
                    .add(each.id().toString()));
            assertThat(arrived).hasSameSizeAs(sent);
            sent.forEach((key, ids) -> assertThat(List.copyOf(arrived.get(key))).isEqualTo(ids));
            assertThat(relay.failures()).isGreaterThan(30);
        }
    }

    private void awaitArrived(String queue, int number) {
        await().atMost(Duration.ofSeconds(40)).until(() -> rabbit.channel().messageCount(queue) >= number);
    }

    @Test
    void aCutConnectionFailsWhatIsInFlightAtOnceAndTheNextMessageConnectsAgain() throws Exception {
        try (Wire wire = new Wire(server.port());
                RabbitPublisher publisher =
                        publisher(wire).timeout(Duration.ofSeconds(30)).build()) {
            String queue = rabbit.queue();
            Rabbit.awaitPublished(publisher.publish(message(queue), Outbox.FIRST));
            wire.stall(true);
            long before = wire.sent();
            List<CompletionStage<?>> stages = new ArrayList<>();
            for (Message each : messages(50, queue)) {
                stages.add(publisher.publish(each, Outbox.FIRST));
            }
            await().until(() -> wire.sent() > before + 50_000);
            assertThat(stages).noneMatch(each -> each.toCompletableFuture().isDone());
            wire.cut();
            wire.stall(false);
            for (CompletionStage<?> each : stages) {
                HandlerException failure = Rabbit.failure(each, Duration.ofSeconds(10));
                assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
                assertThat(failure).hasMessageContaining("was lost");
            }
            Rabbit.awaitPublished(publisher.publish(message(queue), Outbox.FIRST));
            assertThat(wire.connections()).isEqualTo(2);
        }
    }

    /** The sender hangs in a write, because nobody reads: 20 MB do not fit into any buffer on the way. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aStalledConnectionFailsInTimeAndPublishNeverWaits(boolean tls) throws Exception {
        try (Wire wire = new Wire(tls ? Rabbit.tls().port() : server.port());
                RabbitPublisher publisher = (tls
                                ? RabbitPublisher.to(
                                                "amqps://baton:" + RabbitServer.PASSWORD + "@localhost:" + wire.port())
                                        .tls(Rabbit.tls().context())
                                : publisher(wire))
                        .timeout(Duration.ofSeconds(3))
                        .build()) {
            String queue = rabbit.queue();
            Rabbit.awaitPublished(publisher.publish(message(queue), Outbox.FIRST));
            Message large = outbox.put(Draft.bytes(new byte[500_000]).topic(queue));
            wire.stall(true);
            List<CompletionStage<?>> stages = new ArrayList<>();
            long start = System.nanoTime();
            for (int i = 0; i < 40; i++) {
                stages.add(publisher.publish(large, Outbox.FIRST));
            }
            assertThat(System.nanoTime() - start)
                    .as("less than the time-out")
                    .isLessThan(Duration.ofSeconds(3).toNanos());
            for (CompletionStage<?> each : stages) {
                Rabbit.failure(each, Duration.ofSeconds(10));
            }
            wire.stall(false);
            wire.cut();
            await().atMost(Duration.ofSeconds(10)).until(() -> isPublished(publisher, message(queue)));
            // The rest of the stalled ones did not come after all.
            assertThat(rabbit.drain(queue).size()).isLessThan(40);
        }
    }

    @Test
    void aRabbitMqThatAnswersNothingFailsInTimeWhetherTheMessageWasSentOrNot() throws Exception {
        try (RabbitPublisher publisher =
                publisher().timeout(Duration.ofSeconds(1)).build()) {
            String queue = rabbit.queue();
            Rabbit.awaitPublished(publisher.publish(message(queue), Outbox.FIRST));
            List<Message> messages = messages(3, queue);
            server.freeze();
            try {
                CompletionStage<?> sent = publisher.publish(messages.get(0), Outbox.FIRST);
                CompletionStage<?> alsoSent = publisher.publish(messages.get(1), Outbox.FIRST);
                HandlerException failure = Rabbit.failure(sent, Duration.ofSeconds(10));
                assertThat(failure.verdict()).isEqualTo(Verdict.RETRY);
                assertThat(failure).hasMessageContaining("did not confirm");
                assertThat(Rabbit.failure(alsoSent, Duration.ofSeconds(10)).verdict())
                        .isIn(Verdict.OUTAGE, Verdict.RETRY);
                HandlerException unsent =
                        Rabbit.failure(publisher.publish(messages.get(2), Outbox.FIRST), Duration.ofSeconds(10));
                assertThat(unsent.verdict()).isEqualTo(Verdict.OUTAGE);
            } finally {
                server.thaw();
            }
            await().atMost(Duration.ofSeconds(20)).until(() -> isPublished(publisher, message(queue)));
            assertThat(Rabbit.ids(rabbit.drain(queue)))
                    .as("what failed before it was sent was not sent afterwards")
                    .doesNotContain(messages.get(2).id().toString());
        }
    }

    @Test
    void aBlockedRabbitMqIsAnOutageAndOnlyTheFirstMessageIsLeftInItsBuffers() throws Exception {
        String queue = rabbit.queue();
        Message first = message(queue);
        List<Message> others = messages(20, queue);
        block();
        try (Wire wire = new Wire(server.port());
                RabbitPublisher publisher =
                        publisher(wire).timeout(Duration.ofSeconds(2)).build()) {
            List<CompletionStage<?>> stages = new ArrayList<>();
            stages.add(publisher.publish(first, Outbox.FIRST));
            for (Message each : others) {
                stages.add(publisher.publish(each, Outbox.FIRST));
            }
            for (CompletionStage<?> each : stages) {
                HandlerException failure = Rabbit.failure(each, Duration.ofSeconds(5));
                assertThat(failure).hasMessageContaining("blocks publishers: low on memory");
                assertThat(failure.verdict()).isEqualTo(Verdict.OUTAGE);
            }
            unblock();
            await().atMost(Duration.ofSeconds(20)).until(() -> isPublished(publisher, message(queue)));
            assertThat(Rabbit.ids(rabbit.drain(queue)))
                    .doesNotContainAnyElementsOf(
                            others.stream().map(each -> each.id().toString()).toList());
        } finally {
            unblock();
        }
    }

    @Test
    void aShortBlockIsWaitedForAndNothingIsSentIntoIt() throws Exception {
        String queue = rabbit.queue();
        try (Wire wire = new Wire(server.port());
                RabbitPublisher publisher =
                        publisher(wire).timeout(Duration.ofSeconds(15)).build()) {
            Rabbit.awaitPublished(publisher.publish(message(queue), Outbox.FIRST));
            block();
            List<CompletionStage<?>> stages = new ArrayList<>();
            long said = wire.carriedBack();
            stages.add(publisher.publish(message(queue), Outbox.FIRST));
            await("until RabbitMQ has said that it is blocked").until(() -> wire.carriedBack() > said);
            long before = wire.carriedThere();
            for (Message each : messages(20, queue)) {
                stages.add(publisher.publish(each, Outbox.FIRST));
            }
            await().during(Duration.ofMillis(200)).untilAsserted(() -> {
                assertThat(stages).noneMatch(each -> each.toCompletableFuture().isDone());
                assertThat(wire.carriedThere() - before).isLessThan(1000);
            });
            unblock();
            for (CompletionStage<?> each : stages) {
                Rabbit.awaitPublished(each);
            }
            assertThat(rabbit.drain(queue)).hasSize(22);
        } finally {
            unblock();
        }
    }

    private void block() {
        server.control("set_vm_memory_high_watermark", "0.0001");
    }

    private void unblock() {
        server.control("set_vm_memory_high_watermark", "absolute", "2GB");
    }

    @Test
    void closingUnderLoadLetsWhatIsInFlightFinishAndTakesNothingMore() throws Exception {
        String queue = rabbit.queue();
        List<Message> messages = messages(2000, queue);
        List<CompletionStage<?>> stages = new ArrayList<>();
        RabbitPublisher publisher = publisher().build();
        for (Message each : messages) {
            stages.add(publisher.publish(each, Outbox.FIRST));
        }
        publisher.close();
        assertThat(stages).allMatch(each -> each.toCompletableFuture().isDone());
        assertThat(stages).noneMatch(each -> each.toCompletableFuture().isCompletedExceptionally());
        assertThat(rabbit.drain(queue)).hasSize(2000);
        assertThatThrownBy(() -> publisher.publish(messages.get(0), Outbox.FIRST))
                .isInstanceOfSatisfying(
                        HandlerException.class, e -> assertThat(e.verdict()).isEqualTo(Verdict.OUTAGE))
                .hasMessageContaining("was closed");
        publisher.close();
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(each -> each.getName().startsWith("baton-rabbitmq")
                        || each.getName().startsWith("AMQP Connection 127.0.0.1:" + server.port() + "-")));
    }

    @Test
    void closingDoesNotWaitForARabbitMqThatAnswersNothing() throws Exception {
        String queue = rabbit.queue();
        List<Message> messages = messages(10, queue);
        RabbitPublisher publisher = publisher().timeout(Duration.ofMinutes(5)).build();
        Rabbit.awaitPublished(publisher.publish(messages.get(0), Outbox.FIRST));
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
                assertThat(Rabbit.failure(each).verdict()).isEqualTo(Verdict.OUTAGE);
            }
        } finally {
            server.thaw();
        }
    }

    @Test
    void whileRabbitMqIsAwayMessagesFailAtOnceAndItIsTriedMoreAndMoreRarely() throws Exception {
        Message message = message("t");
        try (Wire wire = new Wire(1); // leads nowhere
                RabbitPublisher publisher = publisher(wire).build()) {
            int failures = 0;
            HandlerException failure = Rabbit.failure(publisher.publish(message, Outbox.FIRST));
            long end = System.nanoTime() + Duration.ofSeconds(2).toNanos();
            while (System.nanoTime() < end) {
                failure = Rabbit.failure(publisher.publish(message, Outbox.FIRST));
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
