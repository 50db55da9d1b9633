package org.pgbaton.proofs.operating;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.log.Appended;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.OperatorAction;
import org.pgbaton.subscription.ParkedKey;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionException;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.subscription.SubscriptionStatus;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

@BatonTest
class OperatingTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final List<String> handled = new CopyOnWriteArrayList<>();

    private Subscription start(Baton baton) {
        return baton.subscription("notes")
                .on("events")
                .react((message, delivery) -> handled.add(message.text()))
                .start();
    }

    private static Appended append(Baton baton, String key, String text) {
        return baton.log("events").append(Draft.json('"' + text + '"').key(key));
    }

    @Test
    void aPausedSubscriptionBeginsNothingUntilItIsResumed(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Baton operator = database.baton("operator")) {
            Subscription subscription = start(baton);
            append(baton, "a", "one");
            database.drain("notes", PATIENCE);
            operator.subscriptions().pause("notes", "maintenance");
            awaitState(subscription, SubscriptionState.PAUSED);
            long position = append(baton, "a", "two").position();

            assertThat(operator.subscriptions().awaitProcessed("notes", position, Duration.ofMillis(300)))
                    .isFalse();
            assertThat(subscription.note()).isEqualTo("maintenance");

            operator.subscriptions().resume("notes", "done");
            assertThat(operator.subscriptions().awaitProcessed("notes", position, PATIENCE))
                    .isTrue();
            assertThat(handled).containsExactly("\"one\"", "\"two\"");
            assertThat(operator.subscriptions().actions(10))
                    .extracting(OperatorAction::what, OperatorAction::who, OperatorAction::reason)
                    .containsExactly(
                            org.assertj.core.groups.Tuple.tuple("resume", "operator", "done"),
                            org.assertj.core.groups.Tuple.tuple("pause", "operator", "maintenance"));
        }
    }

    private static void awaitState(Subscription subscription, SubscriptionState wanted) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (subscription.state() != wanted) {
            assertThat(System.nanoTime())
                    .as("%s, not %s", subscription.state(), wanted)
                    .isLessThan(end);
            Thread.sleep(5);
        }
    }

    @Test
    void aRewoundSubscriptionHandlesEverythingAfterThatPositionAgainAndInOrder(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            start(baton);
            long first = append(baton, "a", "one").position();
            append(baton, "a", "two");
            append(baton, "a", "three");
            database.drain("notes", PATIENCE);

            baton.subscriptions().rewind("notes", first, "lost a mailbox");
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (handled.size() < 5) {
                assertThat(System.nanoTime()).as("%s", handled).isLessThan(end);
                Thread.sleep(5);
            }
            database.drain("notes", PATIENCE);

            assertThat(handled).containsExactly("\"one\"", "\"two\"", "\"three\"", "\"two\"", "\"three\"");
        }
    }

    @Test
    void rewindingForwardsIsRefusedBecauseItWouldSkip(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            start(baton);
            append(baton, "a", "one");
            database.drain("notes", PATIENCE);

            assertThatThrownBy(() -> baton.subscriptions().rewind("notes", 1_000, "?"))
                    .isInstanceOf(SubscriptionException.class)
                    .hasMessageContaining("that would skip messages");
        }
    }

    @Test
    void onesOwnWriteCanBeAwaitedFromAProcessWithoutMember(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Baton elsewhere = database.baton("elsewhere")) {
            start(baton);
            Appended mine = append(elsewhere, "a", "mine");
            CompletableFuture<Void> processed = elsewhere.subscriptions().processed("notes", mine.position());
            processed.get(20, TimeUnit.SECONDS);

            assertThat(handled).contains("\"mine\"");
        }
    }

    @Test
    void aParkedKeyIsShownRetriedSkippedAndDrainedInOrder(TestDatabase database) throws Exception {
        AtomicBoolean broken = new AtomicBoolean(true);
        try (Baton baton = database.baton()) {
            baton.subscription("notes")
                    .on("events")
                    .react((message, delivery) -> {
                        if (message.text().contains("poison")
                                || (broken.get() && message.key().equals("b"))) {
                            throw new HandlerException(Verdict.PARK, "cannot read " + message.text());
                        }
                        handled.add(message.text());
                    })
                    .start();
            append(baton, "a", "poison");
            append(baton, "b", "b1");
            append(baton, "c", "c1");
            append(baton, "a", "a2");
            append(baton, "b", "b2");
            append(baton, "a", "a3");
            awaitParked(baton, 2, 5);
            // Its key may belong to another lane than the others.
            database.drainExceptParked("notes", PATIENCE);

            assertThat(handled).containsExactly("\"c1\"");
            List<ParkedKey> parked = baton.subscriptions().parked("notes");
            assertThat(parked).extracting(ParkedKey::key).containsExactlyInAnyOrder("a", "b");
            assertThat(parked).allSatisfy(key -> assertThat(key.state()).isEqualTo(ParkedKey.State.PARKED));
            ParkedKey a = parked.stream()
                    .filter(key -> key.key().equals("a"))
                    .findFirst()
                    .orElseThrow();
            assertThat(a.waiting()).isEqualTo(3);
            assertThat(a.error()).isEqualTo("cannot read \"poison\"");
            assertThat(baton.subscriptions().parkedMessages("notes", "a", 0, 10))
                    .extracting(Message::text)
                    .containsExactly("\"poison\"", "\"a2\"", "\"a3\"");
            assertThat(baton.health().isHealthy()).isFalse();

            broken.set(false);
            assertThat(baton.subscriptions().retryAll("notes", "cannot read \"b1\"", "fixed"))
                    .isEqualTo(1);
            assertThatThrownBy(() -> baton.subscriptions().skip("notes", "a", a.head() + 3, "wrong one"))
                    .isInstanceOf(SubscriptionException.class);
            baton.subscriptions().skip("notes", "a", a.head(), "unreadable, agreed with the owner");
            awaitParked(baton, 0, 0);
            append(baton, "a", "a4");
            database.drain("notes", PATIENCE);

            assertThat(handled.stream().filter(text -> text.startsWith("\"a")))
                    .containsExactly("\"a2\"", "\"a3\"", "\"a4\"");
            assertThat(handled.stream().filter(text -> text.startsWith("\"b"))).containsExactly("\"b1\"", "\"b2\"");
            assertThat(baton.subscriptions().actions(10))
                    .extracting(OperatorAction::what)
                    .contains("skip", "retry");
        }
    }

    private static void awaitParked(Baton baton, int keys, long messages) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        List<ParkedKey> parked = baton.subscriptions().parked("notes");
        while (parked.size() != keys
                || parked.stream().mapToLong(ParkedKey::waiting).sum() != messages) {
            assertThat(System.nanoTime()).as("%s", parked).isLessThan(end);
            Thread.sleep(10);
            parked = baton.subscriptions().parked("notes");
        }
    }

    @Test
    void deletingWantsNobodyAliveAndForgetsEverything(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("me")) {
            Subscription subscription = start(baton);
            append(baton, "a", "one");
            database.drain("notes", PATIENCE);

            assertThatThrownBy(() -> baton.subscriptions().delete("notes", null, "old"))
                    .isInstanceOf(SubscriptionException.class)
                    .hasMessageContaining("live members (me)");
            subscription.close();
            baton.subscriptions().delete("notes", null, "old");

            assertThat(baton.subscriptions().list()).isEmpty();
            start(baton);
            database.drain("notes", PATIENCE);
            assertThat(handled).containsExactly("\"one\"", "\"one\"");
        }
    }

    @Test
    void aSubscriptionThatIsNotThereIsASentence(TestDatabase database) {
        try (Baton baton = database.baton()) {
            assertThatThrownBy(() -> baton.subscriptions().pause("nots", "?"))
                    .isInstanceOf(SubscriptionException.class)
                    .hasMessageContaining("There is no subscription 'nots'");
        }
    }

    @Test
    void theStatusTellsWhoIsThereAndHowFarItIs(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("me")) {
            start(baton);
            append(baton, "a", "one");
            database.drain("notes", PATIENCE);

            SubscriptionStatus status = baton.subscriptions().list().get(0);
            assertThat(status.name()).isEqualTo("notes");
            assertThat(status.state()).isEqualTo(SubscriptionStatus.State.RUNNING);
            assertThat(status.ownership().members()).containsExactly("me");
            assertThat(status.ownership().owned()).isEqualTo(16);
            assertThat(status.backlog().age()).isZero();
        }
    }
}
