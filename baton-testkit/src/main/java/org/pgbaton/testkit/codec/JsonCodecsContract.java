package org.pgbaton.testkit.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.ParkedKey;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.publisher.LoggedMessages;
import org.pgbaton.typed.Codecs;
import org.pgbaton.typed.MessageTypes;
import org.pgbaton.typed.TypedProjection;
import org.pgbaton.typed.Upcaster;

/**
 * The contract of every {@link Codecs} that writes JSON, as tests. Extend this class and run it.
 *
 * <pre>{@code
 * class MyCodecsTest extends JsonCodecsContract {
 *     @Override
 *     protected Codecs codecs() { … }
 *
 *     @Override
 *     protected Upcaster adding(String field, String value) { … }
 * }
 * }</pre>
 */
@BatonTest
public abstract class JsonCodecsContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** In payloads that cannot be decoded; it may appear nowhere else. */
    private static final String SECRET = "4929-1234";

    /** A message, as an application would declare it. */
    public record Deposited(BigDecimal amount, String currency) {
        /** Refuses an amount below zero, and quotes it. */
        public Deposited {
            if (amount != null && amount.signum() < 0) {
                throw new IllegalArgumentException("An amount of " + amount + " of " + currency + " is no deposit.");
            }
        }
    }

    /** For the tests of one implementation. */
    protected JsonCodecsContract() {}

    /** The codecs under test. */
    protected abstract Codecs codecs();

    /** An upcaster that adds a text field to a JSON object, by the same library. */
    protected abstract Upcaster adding(String field, String value);

    private MessageTypes firstVersion() {
        return MessageTypes.with(codecs()).add(Deposited.class).build();
    }

    private MessageTypes secondVersion() {
        return MessageTypes.with(codecs())
                .add(Deposited.class)
                .upcast(Deposited.class, 1, adding("currency", "EUR"))
                .build();
    }

    @Test
    void anObjectComesBackAsItWasWritten(TestDatabase database) {
        Deposited written = new Deposited(new BigDecimal("12345678901234567890.10"), "ü€\"\\\u0000😀");
        try (LoggedMessages log = new LoggedMessages(database)) {
            Message message = log.put(firstVersion().draft(written).key("k"));

            assertTrue(message.isJson());
            assertEquals("Deposited", message.type());
            assertEquals(written, firstVersion().read(message));
        }
    }

    @Test
    void aMessageThatAnotherClientWroteIsUpcastWithAllItsDigits(TestDatabase database) {
        try (LoggedMessages log = new LoggedMessages(database)) {
            for (String amount : List.of("12345678901234567.10", "10.00", "0.1", "100", "12345678901234567890")) {
                Message old = log.put(Draft.json("{\"amount\": " + amount + "}").type("Deposited"));

                assertEquals(
                        new Deposited(new BigDecimal(amount), "EUR"),
                        secondVersion().read(old));
            }
        }
    }

    @Test
    void aNewMessageIsNotUpcast(TestDatabase database) {
        try (LoggedMessages log = new LoggedMessages(database)) {
            Deposited dollars = new Deposited(BigDecimal.TEN, "USD");

            assertEquals(dollars, secondVersion().read(log.put(secondVersion().draft(dollars))));
        }
    }

    @Test
    void aProjectionGetsObjectsAndWhatCannotBeDecodedIsParkedAtOnce(TestDatabase database) throws Exception {
        BlockingQueue<String> handled = new LinkedBlockingQueue<>();
        TypedProjection projection = TypedProjection.with(secondVersion())
                .on(
                        Deposited.class,
                        (event, message, connection) ->
                                handled.add(message.key() + " " + event.amount() + " " + event.currency()));
        try (Baton baton = database.baton();
                Subscription running = baton.subscription("typed")
                        .on("events")
                        .project(projection)
                        .start()) {
            long bad = baton.log("events")
                    .append(Draft.json("{\"amount\": \"" + SECRET + "\"}")
                            .type("Deposited")
                            .key("bad"))
                    .position();
            baton.log("events")
                    .append(secondVersion()
                            .draft(new Deposited(BigDecimal.ONE, "CHF"))
                            .key("bad"));
            baton.log("events")
                    .append(Draft.json("{\"amount\": 5}").type("Deposited").key("good"));

            assertEquals("good 5 EUR", handled.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS));
            List<ParkedKey> parked = parked(baton);

            assertEquals(1, parked.size());
            assertEquals(ParkedKey.State.PARKED, parked.get(0).state());
            assertEquals(1, parked.get(0).attempts());
            assertEquals(bad, parked.get(0).head());
            String error = String.valueOf(parked.get(0).error());
            assertTrue(
                    error.startsWith(
                            "The message at position " + bad + " of key 'bad', type 'Deposited', cannot be decoded: "),
                    error);
            assertFalse(error.contains(SECRET), error);
            assertEquals(1, running.stats().keysParked());
            assertTrue(handled.isEmpty(), "the follower waits");
        }
    }

    private static List<ParkedKey> parked(Baton baton) throws InterruptedException {
        for (long end = System.nanoTime() + PATIENCE.toNanos(); System.nanoTime() < end; Thread.sleep(10)) {
            List<ParkedKey> parked = baton.subscriptions().parked("typed");
            if (!parked.isEmpty() && parked.get(0).waiting() == 2) {
                return parked;
            }
        }
        return List.of();
    }

    @Test
    void aFailureHasNothingOfThePayload(TestDatabase database) {
        try (LoggedMessages log = new LoggedMessages(database)) {
            for (String payload : List.of(
                    "{\"amount\": \"" + SECRET + "\"}",
                    "{\"amount\": -1, \"currency\": \"" + SECRET + "\"}",
                    "{\"amount\": {\"" + SECRET + "\": 1}}",
                    "[\"" + SECRET + "\"]",
                    "\"" + SECRET + "\"",
                    "null")) {
                for (MessageTypes types : List.of(firstVersion(), secondVersion())) {
                    Message message = log.put(Draft.json(payload).type("Deposited"));

                    HandlerException failure = assertThrows(HandlerException.class, () -> types.read(message), payload);
                    assertEquals(Verdict.PARK, failure.verdict());
                    assertNull(failure.getCause());
                    assertEquals(0, failure.getSuppressed().length);
                    assertFalse(failure.toString().contains(SECRET), failure.toString());
                }
            }
        }
    }

    @Test
    void whatRedactionLeavesIsParked(TestDatabase database) {
        try (LoggedMessages log = new LoggedMessages(database)) {
            Message message = log.put(firstVersion().draft(new Deposited(BigDecimal.ONE, "EUR")));
            try (Baton baton = database.baton()) {
                baton.logs().redact("events", message.position(), "somebody", "test");
                Message redacted = baton.log("events")
                        .read()
                        .from(message.position())
                        .list()
                        .get(0);

                HandlerException failure = assertThrows(
                        HandlerException.class, () -> firstVersion().read(redacted));
                assertTrue(failure.toString().contains("it was redacted"), failure.toString());
            }
        }
    }
}
