package org.pgbaton.testkit.publisher;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * The contract of every {@link Publisher}, as tests. Extend this class, give it a real target, and run it.
 *
 * <pre>{@code
 * class MyPublisherTest extends PublisherContract {
 *     @Override
 *     protected Target target() { … }
 * }
 * }</pre>
 */
@BatonTest
public abstract class PublisherContract {
    /** For the tests of one publisher. */
    protected PublisherContract() {}

    /** Longer than anything here should take. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** A real target, which the test can break. */
    public interface Target extends AutoCloseable {
        /** Makes another publisher to the same target each time; the test closes it. */
        Publisher publisher();

        /** The topic to which messages are sent. */
        default String topic() {
            return "contract";
        }

        /** Everything that has arrived so far, in the order of its arrival at least for each key. */
        List<Arrived> arrived() throws Exception;

        /** Makes it take no messages: stopped, unreachable, or answering that it is down. */
        void breakDown() throws Exception;

        /** Makes it take messages again. Messages that arrived before are still there. */
        void recover() throws Exception;

        /** A message that it will never take; empty if there is no such thing. */
        default Optional<Draft> poison(String key) {
            return Optional.empty();
        }

        @Override
        void close();
    }

    /** A message, as the target got it. */
    @SuppressWarnings("ArrayRecordComponent") // compared element by element
    public record Arrived(String key, UUID id, byte[] payload) {}

    /** The target of the test, which the test closes. */
    protected abstract Target target() throws Exception;

    @Test
    void everyMessageArrivesUnchangedAndInOrderForEachKey(TestDatabase database) throws Exception {
        try (Target target = target();
                Baton baton = database.baton();
                Publisher publisher = target.publisher()) {
            Map<UUID, Message> sent = append(baton, target, 25, 12);
            try (Subscription relay = relay(baton, publisher)) {
                database.drain("relay", PATIENCE);
                assertEquals(0, relay.stats().keysAside(), "keys set aside");
            }
            List<Arrived> arrived = target.arrived();
            assertEquals(sent.keySet(), ids(arrived), "what arrived");
            for (Arrived each : arrived) {
                Message message = sent.get(each.id);
                if (message != null) {
                    assertArrayEquals(message.payload(), each.payload, "payload of " + message);
                }
            }
            assertInOrder(sent, arrived);
        }
    }

    /** A publisher that confirms too early loses messages in flight when its process dies. */
    @Test
    void aMessageIsThereWhenItIsConfirmed(TestDatabase database) throws Exception {
        try (Target target = target();
                Baton baton = database.baton();
                Publisher publisher = target.publisher()) {
            Map<UUID, Message> sent = append(baton, target, 3, 1);
            for (Message message : sent.values()) {
                publisher
                        .publish(message, new Delivery("relay", "", 1, 1))
                        .toCompletableFuture()
                        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertTrue(ids(target.arrived()).contains(message.id()), message + " is confirmed, but not there");
            }
        }
    }

    @Test
    void anOutageParksNothingAndLosesNothing(TestDatabase database) throws Exception {
        try (Target target = target();
                Baton baton = database.baton();
                Publisher publisher = target.publisher();
                Subscription relay = relay(baton, publisher)) {
            Map<UUID, Message> sent = append(baton, target, 10, 3);
            await("the first messages", () -> target.arrived().size() >= sent.size());
            target.breakDown();
            sent.putAll(append(baton, target, 10, 3));
            await("that the relay notices", () -> relay.note() != null);
            assertEquals(0, relay.stats().keysParked(), "keys parked by an outage");
            target.recover();
            database.drain("relay", PATIENCE);
            assertEquals(sent.keySet(), ids(target.arrived()), "what arrived in the end");
            assertInOrder(sent, target.arrived());
        }
    }

    @Test
    void aMessageThatIsRefusedParksItsOwnKeyAtOnce(TestDatabase database) throws Exception {
        try (Target target = target();
                Baton baton = database.baton();
                Publisher publisher = target.publisher()) {
            Optional<Draft> poison = target.poison("bad");
            assumeTrue(poison.isPresent(), "this target takes everything");
            Map<UUID, Message> sent = append(baton, target, 5, 2);
            baton.log("outbox").append(poison.get());
            baton.log("outbox").append(draft(target, "bad", "after the poison"));
            sent.putAll(append(baton, target, 5, 2));
            try (Subscription relay = relay(baton, publisher)) {
                await("the other keys", () -> ids(target.arrived()).containsAll(sent.keySet()));
                await("the parked key", () -> relay.stats().keysParked() == 1);
                assertEquals(sent.keySet(), ids(target.arrived()), "what arrived");
            }
        }
    }

    @Test
    void whatItLeavesUndoneWhenItIsClosedTheNextOneDoes(TestDatabase database) throws Exception {
        try (Target target = target();
                Baton baton = database.baton()) {
            Map<UUID, Message> sent = append(baton, target, 40, 20);
            try (Publisher first = target.publisher()) {
                Subscription relay = relay(baton, first);
                await("that it has begun", () -> !target.arrived().isEmpty());
                relay.close();
            }
            try (Publisher second = target.publisher()) {
                Subscription relay = relay(baton, second);
                database.drain("relay", PATIENCE);
                relay.close();
            }
            assertEquals(sent.keySet(), ids(target.arrived()), "what arrived");
            assertInOrder(sent, target.arrived());
        }
    }

    private static Subscription relay(Baton baton, Publisher publisher) {
        return baton.subscription("relay")
                .on("outbox")
                .backoff(Duration.ofMillis(50), Duration.ofMillis(500))
                .publish(publisher)
                .start();
    }

    private static Draft draft(Target target, String key, String payload) {
        return Draft.bytes(payload.getBytes(StandardCharsets.UTF_8)).key(key).topic(target.topic());
    }

    private static Map<UUID, Message> append(Baton baton, Target target, int keys, int each) {
        List<Draft> drafts = new ArrayList<>();
        for (int i = 0; i < each; i++) {
            for (int key = 0; key < keys; key++) {
                drafts.add(draft(target, "key-" + key, "message " + i + " of key " + key + " \u0000\u00ff"));
            }
        }
        Set<UUID> ids = new HashSet<>();
        baton.log("outbox").append(drafts).forEach(appended -> ids.add(appended.id()));
        try (var messages = baton.log("outbox").read().messages()) {
            return messages.filter(message -> ids.contains(message.id()))
                    .collect(Collectors.toMap(Message::id, message -> message, (a, b) -> a, LinkedHashMap::new));
        }
    }

    private static Set<UUID> ids(List<Arrived> arrived) {
        Set<UUID> ids = new HashSet<>();
        arrived.forEach(each -> ids.add(each.id));
        return ids;
    }

    /** Messages may come again, but first arrivals are in order. */
    private static void assertInOrder(Map<UUID, Message> sent, List<Arrived> arrived) {
        Map<String, Long> latest = new HashMap<>();
        Set<UUID> seen = new HashSet<>();
        for (Arrived each : arrived) {
            Message message = sent.get(each.id);
            if (message != null && seen.add(each.id)) {
                Long before = latest.put(message.key(), message.position());
                assertTrue(before == null || before < message.position(), message + " arrived behind " + before);
            }
        }
    }

    private static void await(String what, Callable<Boolean> condition) throws Exception {
        Await.until(what, PATIENCE, condition);
    }
}
