package org.pgbaton.testkit.publisher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * The contract of a publisher to a broker that confirms messages one by one, as tests. The broker dies and freezes, the
 * network breaks and stalls. A message counts as published only if it is there, every message ends in time, and the
 * publisher recovers by itself. Extend this class, give it a real broker, and run it.
 *
 * <pre>{@code
 * class TroubleTest extends BrokerPublisherContract {
 *     @Override
 *     protected TestBroker broker() { … }
 * }
 * }</pre>
 */
@BatonTest
public abstract class BrokerPublisherContract {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final Duration STANDARD_TIMEOUT = Duration.ofSeconds(10);

    private TestBroker broker;
    private LoggedMessages messages;

    /** For the tests of one publisher. */
    protected BrokerPublisherContract() {}

    /**
     * A real broker, and its publisher. The calls do not depend on each other, so the broker may be down in between.
     */
    public interface TestBroker {
        /** The server. It may serve many tests; the contract leaves it running. */
        BrokerServer server();

        /**
         * Makes a publisher, which the test closes.
         *
         * @param port the server's, or that of a {@link Wire} to it
         * @param timeout for each message
         */
        Publisher publisher(int port, Duration timeout) throws Exception;

        /** Makes a publisher with the standard time-out, and the user's password in a file. */
        Publisher publisher(Path passwordFile) throws Exception;

        /** Makes a durable place for messages that nobody else uses, and returns the topic that leads there. */
        String topic() throws Exception;

        /** How many messages are there. */
        long count(String topic) throws Exception;

        /**
         * All messages that are there, in the order of their arrival at least for each key. They may be gone
         * afterwards.
         */
        List<PublisherContract.Arrived> read(String topic) throws Exception;

        /** What differs from broker to broker. */
        Words words();
    }

    /**
     * The properties in which brokers differ.
     *
     * @param didNotConfirm part of the error for a message that is not confirmed in time: {@code did not confirm}
     * @param refusesLogin part of the error if the password is wrong: {@code refuses us}
     * @param threads how the names of the publisher's threads and its client's begin
     * @param password the user's
     */
    public record Words(String didNotConfirm, String refusesLogin, List<String> threads, String password) {}

    /** Returns the broker. Skips the test where there is none: {@code assumeTrue(…)}. */
    protected abstract TestBroker broker() throws Exception;

    @BeforeEach
    void open(TestDatabase database) throws Exception {
        broker = broker();
        messages = new LoggedMessages(database);
    }

    @AfterEach
    void close() {
        if (messages != null) {
            messages.close();
        }
    }

    /** Writes so many messages of a kilobyte, each with a key of its own. */
    protected final List<Message> messages(int number, String topic) {
        return messages.put(IntStream.range(0, number)
                .mapToObj(i -> Draft.bytes(new byte[1000]).topic(topic))
                .toList());
    }

    /** Writes a message of a kilobyte. */
    protected final Message message(String topic) {
        return messages(1, topic).get(0);
    }

    private List<Message> messagesOfKeys(int number, int keys, String topic) {
        return messages.put(IntStream.range(0, number)
                .mapToObj(i -> Draft.json("{}").topic(topic).key("key-" + i % keys))
                .toList());
    }

    private Publisher publisher(Duration timeout) throws Exception {
        return broker.publisher(broker.server().port(), timeout);
    }

    private static List<CompletionStage<?>> publishAll(Publisher publisher, List<Message> messages) {
        List<CompletionStage<?>> stages = new ArrayList<>();
        for (Message each : messages) {
            stages.add(publisher.publish(each, LoggedMessages.FIRST));
        }
        return stages;
    }

    /** Whether the publisher works. */
    protected static boolean isPublished(Publisher publisher, Message message) throws Exception {
        try {
            Outcome.awaitPublished(publisher.publish(message, LoggedMessages.FIRST));
            return true;
        } catch (ExecutionException failed) {
            return false;
        }
    }

    private static boolean isDone(CompletionStage<?> stage) {
        return stage.toCompletableFuture().isDone();
    }

    private static void await(String what, Callable<Boolean> condition) throws Exception {
        Await.until(what, PATIENCE, condition);
    }

    @Test
    void manyKeysAtOnceEachInItsOrder() throws Exception {
        String topic = broker.topic();
        List<Message> sent = messagesOfKeys(5000, 200, topic);
        try (Publisher publisher = publisher(STANDARD_TIMEOUT)) {
            KeyedRelay relay = KeyedRelay.start(publisher, sent);
            relay.awaitEnd(Duration.ofSeconds(30));
            assertEquals(0, relay.failures(), "failures");
            List<PublisherContract.Arrived> arrived = broker.read(topic);
            assertEquals(sent.size(), arrived.size(), "each once");
            assertEquals(idsSent(sent), firstArrivals(arrived), "for each key, in order");
        }
    }

    @Test
    void nothingIsPublishedBeforeItIsConfirmed() throws Exception {
        try (Wire wire = new Wire(broker.server().port());
                Publisher publisher = broker.publisher(wire.port(), STANDARD_TIMEOUT)) {
            String topic = broker.topic();
            Outcome.awaitPublished(publisher.publish(message(topic), LoggedMessages.FIRST));
            Message message = message(topic);
            broker.server().freeze();
            CompletionStage<?> stage;
            try {
                long before = wire.sent();
                stage = publisher.publish(message, LoggedMessages.FIRST);
                await("that it is sent", () -> wire.sent() > before + 1000);
                assertFalse(isDone(stage), "published by a broker that is frozen");
            } finally {
                broker.server().thaw();
            }
            Outcome.awaitPublished(stage);
            assertEquals(2, broker.read(topic).size());
        }
    }

    @Test
    void whatWasInFlightWhenTheBrokerWasKilledFailsAndWhatWasPublishedIsThere() throws Exception {
        try (Publisher publisher = publisher(STANDARD_TIMEOUT)) {
            String topic = broker.topic();
            broker.server().writeDown();
            List<Message> sent = messages(20_000, topic);
            List<CompletionStage<?>> stages = new ArrayList<>();
            for (Message each : sent) {
                stages.add(publishOrFail(publisher, each));
                if (stages.size() == 6000) {
                    await("the first confirmations", () -> isDone(stages.get(500)));
                    broker.server().kill();
                }
            }
            Set<UUID> confirmed = new LinkedHashSet<>();
            for (int i = 0; i < stages.size(); i++) {
                try {
                    Outcome.awaitPublished(stages.get(i));
                    confirmed.add(sent.get(i).id());
                } catch (ExecutionException failed) {
                    assertEquals(Verdict.OUTAGE, Outcome.failure(stages.get(i)).verdict());
                }
            }
            assertTrue(confirmed.size() > 500, confirmed.size() + " were published before the kill");
            assertTrue(confirmed.size() < sent.size() - 500, confirmed.size() + " were published in spite of the kill");

            broker.server().restart();
            Set<UUID> there = new LinkedHashSet<>();
            broker.read(topic).forEach(each -> there.add(each.id()));
            assertTrue(there.containsAll(confirmed), "everything that was confirmed is there");
            await("that it goes on", () -> isPublished(publisher, message(topic)));
        }
    }

    private static CompletionStage<?> publishOrFail(Publisher publisher, Message message) {
        try {
            return publisher.publish(message, LoggedMessages.FIRST);
        } catch (HandlerException tooMany) {
            return CompletableFuture.failedFuture(tooMany);
        }
    }

    @Test
    void itGoesOnThroughRestartsAndCutsInOrderAndWithoutLoss() throws Exception {
        String topic = broker.topic();
        try (Wire wire = new Wire(broker.server().port());
                Publisher publisher = broker.publisher(wire.port(), Duration.ofSeconds(3))) {
            List<Message> sent = messagesOfKeys(9000, 30, topic);
            KeyedRelay relay = KeyedRelay.start(publisher, sent);
            await("200 messages", () -> broker.count(topic) >= 200);
            wire.cut();
            await("600 messages", () -> broker.count(topic) >= 600);
            broker.server().stop();
            broker.server().restart();
            await("1200 messages", () -> broker.count(topic) >= 1200);
            wire.cut();
            relay.awaitEnd(Duration.ofSeconds(30));
            assertEquals(idsSent(sent), firstArrivals(broker.read(topic)), "for each key, in order");
            assertTrue(relay.failures() > 30, "at least one failure for each key, and not " + relay.failures());
        }
    }

    private static Map<String, List<UUID>> idsSent(List<Message> sent) {
        Map<String, List<UUID>> ids = new LinkedHashMap<>();
        sent.forEach(each ->
                ids.computeIfAbsent(each.key(), key -> new ArrayList<>()).add(each.id()));
        return ids;
    }

    /** Duplicates do not count. */
    private static Map<String, List<UUID>> firstArrivals(List<PublisherContract.Arrived> arrived) {
        Map<String, Set<UUID>> ids = new LinkedHashMap<>();
        arrived.forEach(each ->
                ids.computeIfAbsent(each.key(), key -> new LinkedHashSet<>()).add(each.id()));
        Map<String, List<UUID>> first = new LinkedHashMap<>();
        ids.forEach((key, all) -> first.put(key, List.copyOf(all)));
        return first;
    }

    @Test
    void aCutConnectionFailsWhatIsInFlightAtOnceAndTheNextMessageConnectsAgain() throws Exception {
        try (Wire wire = new Wire(broker.server().port());
                Publisher publisher = broker.publisher(wire.port(), Duration.ofSeconds(30))) {
            String topic = broker.topic();
            Outcome.awaitPublished(publisher.publish(message(topic), LoggedMessages.FIRST));
            wire.stall(true);
            long before = wire.sent();
            List<CompletionStage<?>> stages = publishAll(publisher, messages(50, topic));
            await("that they are sent", () -> wire.sent() > before + 50_000);
            assertTrue(stages.stream().noneMatch(BrokerPublisherContract::isDone), "none is published");
            wire.cut();
            wire.stall(false);
            for (CompletionStage<?> each : stages) {
                HandlerException failure = Outcome.failure(each, SOON);
                assertEquals(Verdict.OUTAGE, failure.verdict());
                assertSays("was lost", failure);
            }
            Outcome.awaitPublished(publisher.publish(message(topic), LoggedMessages.FIRST));
            assertEquals(2, wire.connections(), "connections");
        }
    }

    @Test
    void aStalledConnectionFailsInTimeAndPublishNeverWaits() throws Exception {
        try (Wire wire = new Wire(broker.server().port());
                Publisher publisher = broker.publisher(wire.port(), Duration.ofSeconds(3))) {
            stalls(wire, publisher);
        }
    }

    /**
     * The client hangs in a write, because nobody reads: 22 MB do not fit into any buffer on the way.
     *
     * @param publisher by the wire, with a time-out of 3 s
     */
    protected final void stalls(Wire wire, Publisher publisher) throws Exception {
        String topic = broker.topic();
        Outcome.awaitPublished(publisher.publish(message(topic), LoggedMessages.FIRST));
        List<Message> large = messages.put(IntStream.range(0, 150)
                .mapToObj(i -> Draft.bytes(new byte[150_000]).topic(topic))
                .toList());
        wire.stall(true);
        long start = System.nanoTime();
        List<CompletionStage<?>> stages = publishAll(publisher, large);
        assertWithin(Duration.ofSeconds(3), start, "publishing, which is less than the time-out");
        for (CompletionStage<?> each : stages) {
            Outcome.failure(each, SOON);
        }
        wire.stall(false);
        Await.until("that it goes on", SOON, () -> isPublished(publisher, message(topic)));
        assertTrue(
                broker.read(topic).size() < 150,
                "some of the stalled ones never arrived, so they were not sent after they had failed");
    }

    @Test
    void aBrokerThatAnswersNothingFailsInTimeWhetherTheMessageWasSentOrNot() throws Exception {
        try (Publisher publisher = publisher(Duration.ofSeconds(1))) {
            String topic = broker.topic();
            Outcome.awaitPublished(publisher.publish(message(topic), LoggedMessages.FIRST));
            List<Message> three = messages(3, topic);
            broker.server().freeze();
            try {
                CompletionStage<?> sent = publisher.publish(three.get(0), LoggedMessages.FIRST);
                CompletionStage<?> alsoSent = publisher.publish(three.get(1), LoggedMessages.FIRST);
                HandlerException failure = Outcome.failure(sent, SOON);
                assertEquals(Verdict.RETRY, failure.verdict());
                assertSays(broker.words().didNotConfirm(), failure);
                Verdict other = Outcome.failure(alsoSent, SOON).verdict();
                assertTrue(other == Verdict.OUTAGE || other == Verdict.RETRY, other.toString());
                HandlerException unsent = Outcome.failure(publisher.publish(three.get(2), LoggedMessages.FIRST), SOON);
                assertEquals(Verdict.OUTAGE, unsent.verdict());
            } finally {
                broker.server().thaw();
            }
            await("that it goes on", () -> isPublished(publisher, message(topic)));
            assertTrue(
                    broker.read(topic).stream()
                            .noneMatch(each -> each.id().equals(three.get(2).id())),
                    "what failed before it was sent was not sent afterwards");
        }
    }

    @Test
    void closingUnderLoadLetsWhatIsInFlightFinishAndTakesNothingMore() throws Exception {
        String topic = broker.topic();
        List<Message> sent = messages(2000, topic);
        Publisher publisher = publisher(STANDARD_TIMEOUT);
        List<CompletionStage<?>> stages = publishAll(publisher, sent);
        publisher.close();
        assertTrue(stages.stream().allMatch(BrokerPublisherContract::isDone), "all have ended");
        for (CompletionStage<?> each : stages) {
            Outcome.awaitPublished(each);
        }
        assertEquals(2000, broker.read(topic).size());
        HandlerException refused =
                assertThrows(HandlerException.class, () -> publisher.publish(sent.get(0), LoggedMessages.FIRST));
        assertEquals(Verdict.OUTAGE, refused.verdict());
        assertSays("was closed", refused);
        publisher.close();
        await(
                "the end of its threads",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(each -> broker.words().threads().stream().anyMatch(each.getName()::startsWith)));
    }

    @Test
    void closingDoesNotWaitForABrokerThatAnswersNothing() throws Exception {
        String topic = broker.topic();
        List<Message> ten = messages(10, topic);
        Publisher publisher = publisher(Duration.ofMinutes(5));
        Outcome.awaitPublished(publisher.publish(ten.get(0), LoggedMessages.FIRST));
        broker.server().freeze();
        try {
            List<CompletionStage<?>> stages = publishAll(publisher, ten);
            long start = System.nanoTime();
            publisher.close();
            assertWithin(Duration.ofSeconds(30), start, "closing");
            for (CompletionStage<?> each : stages) {
                assertTrue(isDone(each), "all have ended");
                assertEquals(Verdict.OUTAGE, Outcome.failure(each).verdict());
            }
        } finally {
            broker.server().thaw();
        }
    }

    @Test
    void whileTheBrokerIsAwayMessagesFailAtOnceAndItIsTriedMoreAndMoreRarely() throws Exception {
        Message message = message("t");
        try (Wire nowhere = new Wire(1);
                Publisher publisher = broker.publisher(nowhere.port(), STANDARD_TIMEOUT)) {
            int failures = 0;
            HandlerException failure = Outcome.failure(publisher.publish(message, LoggedMessages.FIRST));
            long end = System.nanoTime() + Duration.ofSeconds(2).toNanos();
            while (System.nanoTime() < end) {
                failure = Outcome.failure(publisher.publish(message, LoggedMessages.FIRST));
                assertEquals(Verdict.OUTAGE, failure.verdict());
                failures++;
            }
            assertTrue(failure.pause().compareTo(Duration.ZERO) > 0, "it says when it is tried again");
            // After 0.1, 0.2, 0.4, 0.8 s; or half of each.
            int tries = nowhere.refused();
            assertTrue(tries >= 3 && tries <= 8, tries + " tries to connect");
            assertTrue(failures > 5 * tries, failures + " failures, without a try to connect each");
        }
    }

    @Test
    void thePasswordIsReadFromItsFileAtEveryConnect(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("password"), "wrong\n");
        try (Publisher publisher = broker.publisher(file)) {
            Message message = message(broker.topic());
            assertSays(
                    broker.words().refusesLogin(), Outcome.failure(publisher.publish(message, LoggedMessages.FIRST)));
            Files.writeString(file, broker.words().password() + "\n");
            await("the end of the pause before it tries again", () -> isPublished(publisher, message));
        }
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> broker.publisher(folder.resolve("none")));
        assertTrue(String.valueOf(refused.getMessage()).contains("cannot be read"), refused.toString());
    }

    private static void assertSays(String words, HandlerException failure) {
        String message = String.valueOf(failure.getMessage());
        assertTrue(message.contains(words), () -> "'" + message + "' should say '" + words + "'");
    }

    private static void assertWithin(Duration longest, long start, String what) {
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        assertTrue(took.compareTo(longest) < 0, () -> what + " took " + took);
    }
}
