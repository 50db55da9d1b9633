package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionBuilder;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * Promise 6: one slow or failing key does not hold up any other. Waiting messages are neither lost nor handled out of
 * order.
 */
@BatonTest
class OneBadKeyHoldsUpNobodyTest {
    private static final String NAME = "s";

    @Test
    void aFailingMessageIsTriedAgainWhileItsFollowersWait(TestDatabase database) throws Exception {
        Handled.createTable(database);
        AtomicInteger failures = new AtomicInteger(3);
        try (Baton baton = database.baton()) {
            start(baton, () -> {
                if (failures.getAndDecrement() > 0) {
                    throw new IllegalStateException("not yet");
                }
            });
            append(database, 100);
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            assertThat(Handled.verdict(database, NAME, false)).matches(Handled.Verdict::isClean);
            assertThat(failures.get()).isNegative();
            Eventually.isTrue(() -> count(database, "baton.parked") == 0);
        }
    }

    @Test
    void afterItsAttemptsTheKeyIsParkedAndDrainedInOrderWhenAnOperatorSaysSo(TestDatabase database) throws Exception {
        Handled.createTable(database);
        AtomicBoolean broken = new AtomicBoolean(true);
        AtomicInteger calls = new AtomicInteger();
        try (Baton baton = database.baton()) {
            Subscription subscription = start(builder(baton).attempts(3), () -> {
                calls.incrementAndGet();
                if (broken.get()) {
                    throw new IllegalStateException("broken");
                }
            });
            append(database, 100);
            Eventually.isTrue(() -> parkedState(database).equals("parked"));
            append(database, 100);
            awaitOthers(database);
            assertThat(calls.get()).isEqualTo(3);
            assertThat(database.one("SELECT attempts || ' ' || error FROM baton.parked"))
                    .startsWith("3 ")
                    .contains("broken");
            Eventually.isTrue(() -> subscription.stats().keysParked() == 1);
            assertThat(subscription.health().isHealthy()).isFalse();

            broken.set(false);
            retry(database);
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            Eventually.isTrue(() -> count(database, "baton.parked") == 0);
            append(database, 100);
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            assertThat(Handled.verdict(database, NAME, false)).matches(Handled.Verdict::isClean);
        }
    }

    @Test
    void aPoisonedMessageIsParkedAtOnce(TestDatabase database) throws Exception {
        Handled.createTable(database);
        AtomicInteger calls = new AtomicInteger();
        try (Baton baton = database.baton()) {
            start(baton, () -> {
                calls.incrementAndGet();
                throw new HandlerException(Verdict.PARK, "poison");
            });
            append(database, 100);
            Eventually.isTrue(() -> parkedState(database).equals("parked"));
            awaitOthers(database);
            assertThat(calls.get()).isEqualTo(1);
            assertThat(count(database, "baton.parked_message")).isEqualTo(20);
        }
    }

    @Test
    void anOutageIsWaitedOutWithoutBurningAttempts(TestDatabase database) throws Exception {
        Handled.createTable(database);
        AtomicInteger failures = new AtomicInteger(4);
        AtomicInteger reactions = new AtomicInteger(4);
        Deliveries deliveries = new Deliveries();
        try (Baton baton = database.baton()) {
            Subscription projection = start(builder(baton).attempts(2), () -> {
                if (failures.getAndDecrement() > 0) {
                    throw new HandlerException(Verdict.OUTAGE, "the target is away");
                }
            });
            baton.subscription("reaction")
                    .on("events")
                    .attempts(2)
                    .react((message, delivery) -> {
                        if (reactions.getAndDecrement() > 0) {
                            throw new HandlerException(Verdict.OUTAGE, "the target is away");
                        }
                        deliveries.begin(message);
                        deliveries.end(message);
                    })
                    .start();
            append(database, 100);
            Eventually.isTrue(
                    () -> projection.note() != null && projection.note().contains("away"));
            Eventually.isTrue(Duration.ofSeconds(60), () -> Handled.isComplete(database, NAME));
            Eventually.isTrue(Duration.ofSeconds(60), () -> deliveries.keys() == 81);
            assertThat(count(database, "baton.parked")).isZero();
            assertThat(Handled.verdict(database, NAME, false)).matches(Handled.Verdict::isClean);
            assertThat(deliveries.of("bad")).hasSize(20).isSorted();
        }
    }

    @Test
    void aHandlerCanStopTheSubscriptionEverywhereUntilItIsResumed(TestDatabase database) throws Exception {
        Handled.createTable(database);
        AtomicBoolean broken = new AtomicBoolean(true);
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            Action refuse = () -> {
                if (broken.get()) {
                    throw new HandlerException(Verdict.STOP, "better not");
                }
            };
            Subscription first = start(one, refuse);
            Subscription second = start(two, refuse);
            append(database, 100);
            Eventually.isTrue(
                    () -> first.state() == SubscriptionState.STOPPED && second.state() == SubscriptionState.STOPPED);
            assertThat(database.one("SELECT note FROM baton.subscription_status"))
                    .contains("better not");
            broken.set(false);
            database.execute("UPDATE baton.subscription SET state = 'running', note = NULL");
            announce(database);
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            assertThat(Handled.verdict(database, NAME, false)).matches(Handled.Verdict::isClean);
        }
    }

    @Test
    void whatAnOperatorWroteIsNoticedWhenItCommitsHoweverLate(TestDatabase database) throws Exception {
        Handled.createTable(database);
        try (Baton baton = database.baton();
                Connection operator = database.connect();
                Statement statement = operator.createStatement()) {
            Subscription subscription = start(baton, () -> {});
            operator.setAutoCommit(false);
            statement.execute("UPDATE baton.subscription SET state = 'paused'");
            statement.execute("INSERT INTO baton.action (who, what, subject) VALUES ('test', 'pause', 's')");
            // A member that relied on the sequence would look now, and find nothing.
            long looks = baton.hubStats().looks();
            append(database, 10);
            Eventually.isTrue(
                    () -> Handled.isComplete(database, NAME) && baton.hubStats().looks() > looks + 5);
            assertThat(subscription.state()).isEqualTo(SubscriptionState.RUNNING);
            operator.commit();
            Eventually.isTrue(() -> subscription.state() == SubscriptionState.PAUSED);
        }
    }

    @Test
    void aSlowKeyGoesOnByItselfWhileOthersAreHandled(TestDatabase database) throws Exception {
        Deliveries deliveries = new Deliveries();
        CountDownLatch slow = new CountDownLatch(1);
        try (Baton baton = database.baton()) {
            baton.subscription(NAME)
                    .on("events")
                    .slowKey(Duration.ofMillis(200))
                    .react((message, delivery) -> {
                        deliveries.begin(message);
                        if (message.key().equals("bad")) {
                            slow.await();
                        }
                        deliveries.end(message);
                    })
                    .start();
            append(database, 100);
            Eventually.isTrue(() -> deliveries.keys() == 81);
            append(database, 100);
            assertThat(deliveries.of("bad")).hasSize(1);
            slow.countDown();
            Eventually.isTrue(() -> deliveries.of("bad").size() == 40);
            Eventually.isTrue(() -> count(database, "baton.parked") == 0);
            assertThat(deliveries.of("bad")).isSorted().doesNotHaveDuplicates();
            assertThat(deliveries.everOverlapped()).isFalse();
        }
    }

    @Test
    void aSlowReactionIsNotCalledAgainWhileItRunsAlthoughItWasNotRecorded(TestDatabase database) throws Exception {
        Deliveries deliveries = new Deliveries();
        CountDownLatch slow = new CountDownLatch(1);
        try (LossyProxy proxy = new LossyProxy(database);
                Gate gate = new Gate(database, "INSERT ON baton.parked");
                Baton baton = Baton.open(proxy.url())) {
            baton.subscription(NAME)
                    .on("events")
                    .slowKey(Duration.ofMillis(200))
                    .react((message, delivery) -> {
                        deliveries.begin(message);
                        if (message.key().equals("bad")) {
                            slow.await();
                        }
                        deliveries.end(message);
                    })
                    .start();
            append(database, 10);
            proxy.loseTheAnswerToTheCommitOf(gate.awaitCommit());
            gate.open();
            Eventually.isTrue(() -> proxy.lost() == 1);
            // Its lane is read again; a second call, if there were one, would happen now.
            for (int round = 0; round < 3; round++) {
                append(database, 10);
                int handled = 2 + round;
                Eventually.isTrue(() -> deliveries.of("key-1").size() == handled);
            }
            slow.countDown();
            Eventually.isTrue(() -> deliveries.of("bad").stream().distinct().count() == 8);
            assertThat(deliveries.everOverlapped()).isFalse();
        }
    }

    @Test
    void aReactionThatNeverReturnsIsShownAndOthersGoOn(TestDatabase database) throws Exception {
        Deliveries deliveries = new Deliveries();
        AtomicBoolean hangs = new AtomicBoolean(true);
        try (Baton baton = database.baton()) {
            Subscription subscription = baton.subscription(NAME)
                    .on("events")
                    .slowKey(Duration.ofMillis(200))
                    .handlerLimit(Duration.ofSeconds(1))
                    .react((message, delivery) -> {
                        deliveries.begin(message);
                        while (message.key().equals("bad") && hangs.get()) {
                            Thread.onSpinWait();
                        }
                        deliveries.end(message);
                    })
                    .start();
            append(database, 100);
            Eventually.isTrue(() -> deliveries.keys() == 81);
            Eventually.isTrue(() -> subscription.health().stuck().stream()
                    .anyMatch(stack -> stack.contains(OneBadKeyHoldsUpNobodyTest.class.getSimpleName())));
            assertThat(subscription.health().isHealthy()).isFalse();
            append(database, 100);
            Eventually.isTrue(() -> deliveries.keys() == 81);
            hangs.set(false);
            Eventually.isTrue(
                    Duration.ofSeconds(60),
                    () -> deliveries.of("bad").stream().distinct().count() == 40);
            Eventually.isTrue(() -> subscription.health().isHealthy());
        }
    }

    @Test
    void aProjectionThatNeverReturnsIsGivenUpAndAppliesNothing(TestDatabase database) throws Exception {
        Handled.createTable(database);
        AtomicBoolean hangs = new AtomicBoolean(true);
        try (Baton baton = database.baton()) {
            Subscription subscription = start(builder(baton).handlerLimit(Duration.ofSeconds(1)), () -> {
                while (hangs.get()) {
                    Thread.onSpinWait();
                }
            });
            append(database, 100);
            Eventually.isTrue(() -> !subscription.health().stuck().isEmpty());
            awaitOthers(database);
            append(database, 100);
            awaitOthers(database);
            hangs.set(false);
            Eventually.isTrue(Duration.ofSeconds(60), () -> Handled.isComplete(database, NAME));
            assertThat(Handled.verdict(database, NAME, false)).matches(Handled.Verdict::isClean);
        }
    }

    @Test
    void aParkingWhoseCommitWasNotConfirmedIsStillAParking(TestDatabase database) throws Exception {
        Handled.createTable(database);
        AtomicBoolean broken = new AtomicBoolean(true);
        try (LossyProxy proxy = new LossyProxy(database);
                Gate gate = new Gate(database, "INSERT ON baton.parked");
                Baton baton = Baton.open(proxy.url())) {
            start(baton, () -> {
                if (broken.get()) {
                    throw new HandlerException(Verdict.PARK, "poison");
                }
            });
            append(database, 20);
            proxy.loseTheAnswerToTheCommitOf(gate.awaitCommit());
            gate.open();
            Eventually.isTrue(() -> proxy.lost() == 1 && count(database, "baton.parked") == 1);
            broken.set(false);
            append(database, 100);
            awaitOthers(database);
            assertThat(database.one("SELECT count(*) FROM public.handled WHERE key = 'bad'"))
                    .isEqualTo("0");
            retry(database);
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            assertThat(Handled.verdict(database, NAME, false)).matches(Handled.Verdict::isClean);
        }
    }

    @Test
    void anUnparkingWhoseCommitWasNotConfirmedIsStillAnUnparking(TestDatabase database) throws Exception {
        Handled.createTable(database);
        AtomicBoolean broken = new AtomicBoolean(true);
        try (LossyProxy proxy = new LossyProxy(database);
                Baton baton = Baton.open(proxy.url())) {
            start(baton, () -> {
                if (broken.getAndSet(false)) {
                    throw new HandlerException(Verdict.PARK, "poison");
                }
            });
            append(database, 5);
            Eventually.isTrue(() -> parkedState(database).equals("parked"));
            try (Gate gate = new Gate(database, "DELETE ON baton.parked")) {
                retry(database);
                proxy.loseTheAnswerToTheCommitOf(gate.awaitCommit());
                gate.open();
            }
            Eventually.isTrue(() -> proxy.lost() == 1);
            append(database, 100);
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            assertThat(Handled.verdict(database, NAME, false)).matches(Handled.Verdict::isClean);
        }
    }

    @Test
    void inTotalOrderEverythingWaitsBehindAFailingMessage(TestDatabase database) throws Exception {
        Handled.createTable(database);
        AtomicInteger failures = new AtomicInteger(3);
        try (Baton baton = database.baton()) {
            start(builder(baton).order(MessageOrder.TOTAL), () -> {
                if (failures.getAndDecrement() > 0) {
                    throw new IllegalStateException("not yet");
                }
            });
            append(database, 100);
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            assertThat(Handled.verdict(database, NAME, true)).matches(Handled.Verdict::isClean);
        }
    }

    @Test
    void inTotalOrderABatchIsTakenApartInOrder(TestDatabase database) throws Exception {
        Handled.createTable(database);
        AtomicInteger failures = new AtomicInteger(5);
        try (Baton baton = database.baton()) {
            append(database, 100);
            builder(baton)
                    .order(MessageOrder.TOTAL)
                    .projectBatches((messages, connection) -> {
                        Handled.add(connection, NAME, messages);
                        if (messages.stream().anyMatch(message -> message.position() % 10 == 7)
                                && failures.getAndDecrement() > 0) {
                            throw new IllegalStateException("not yet");
                        }
                    })
                    .start();
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            assertThat(Handled.verdict(database, NAME, true)).matches(Handled.Verdict::isClean);
        }
    }

    @Test
    void aBatchOfKeysThatIsCutShortAppliesNothingTwice(TestDatabase database) throws Exception {
        Handled.createTable(database);
        append(database, 500);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch closing = new CountDownLatch(1);
        try (Baton baton = database.baton()) {
            Subscription subscription = builder(baton)
                    .projectKeyBatches((messages, connection) -> {
                        Handled.add(connection, NAME, messages);
                        if (messages.get(0).key().equals("bad")) {
                            inside.countDown();
                            closing.await();
                        }
                    })
                    .start();
            inside.await();
            CompletableFuture<Void> closed = CompletableFuture.runAsync(subscription::close);
            Eventually.isTrue(() -> subscription.health() != null
                    && Thread.getAllStackTraces().values().stream()
                            .anyMatch(stack -> List.of(stack).toString().contains("Member.finish")));
            closing.countDown();
            closed.join();
            builder(baton)
                    .projectKeyBatches((messages, connection) -> Handled.add(connection, NAME, messages))
                    .start();
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            assertThat(Handled.verdict(database, NAME, false)).matches(Handled.Verdict::isClean);
        }
    }

    @Test
    void aKeyThatIsDrainedUnderLoadCatchesUp(TestDatabase database) throws Exception {
        Handled.createTable(database);
        AtomicInteger failures = new AtomicInteger(2);
        try (Baton baton = database.baton();
                Writers writers = Writers.startShort(database, 8)) {
            baton.subscription(NAME)
                    .on("events")
                    .backoff(Duration.ofMillis(10), Duration.ofMillis(50))
                    .project((message, connection) -> {
                        if (message.key().equals("key-1") && failures.getAndDecrement() > 0) {
                            throw new IllegalStateException("not yet");
                        }
                        Handled.add(connection, NAME, List.of(message));
                    })
                    .start();
            Eventually.isTrue(() -> failures.get() < 0 && count(database, "baton.parked") == 0);
            writers.stop();
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            assertThat(Handled.verdict(database, NAME, false)).matches(Handled.Verdict::isClean);
        }
    }

    @Test
    void aHandlerThatClosesItsConnectionDoesNoHarm(TestDatabase database) throws Exception {
        Handled.createTable(database);
        try (Baton baton = database.baton()) {
            builder(baton)
                    .project((message, connection) -> {
                        try (connection) {
                            Handled.add(connection, NAME, List.of(message));
                        }
                    })
                    .start();
            append(database, 100);
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            assertThat(Handled.verdict(database, NAME, false)).matches(Handled.Verdict::isClean);
        }
    }

    @Test
    void aHandlerThatCommitsByJdbcFailsAndItsKeyIsParked(TestDatabase database) throws Exception {
        meddle(database, Connection::commit);
    }

    @Test
    void aHandlerThatRollsBackByJdbcFailsAndItsKeyIsParked(TestDatabase database) throws Exception {
        meddle(database, Connection::rollback);
    }

    @Test
    void aHandlerThatSwitchesAutocommitOnFailsAndItsKeyIsParked(TestDatabase database) throws Exception {
        meddle(database, connection -> connection.setAutoCommit(true));
    }

    private static void meddle(TestDatabase database, Meddling meddling) throws Exception {
        Handled.createTable(database);
        try (Baton baton = database.baton()) {
            builder(baton)
                    .attempts(2)
                    .project((message, connection) -> {
                        Handled.add(connection, NAME, List.of(message));
                        if (message.key().equals("bad")) {
                            meddling.with(connection);
                        }
                    })
                    .start();
            append(database, 100);
            Eventually.isTrue(() -> parkedState(database).equals("parked"));
            awaitOthers(database);
            assertThat(database.one("SELECT error FROM baton.parked")).contains("must not call");
            assertThat(database.one("SELECT count(*) FROM public.handled WHERE key = 'bad'"))
                    .isEqualTo("0");
        }
    }

    @Test
    void aHandlerThatCommitsBySqlStopsTheSubscription(TestDatabase database) throws Exception {
        endTransaction(database, "COMMIT", false);
    }

    @Test
    void aHandlerThatRollsBackBySqlStopsTheSubscription(TestDatabase database) throws Exception {
        endTransaction(database, "ROLLBACK", false);
    }

    @Test
    void aHandlerThatCommitsBySqlStopsTheSubscriptionEvenBehindASavepoint(TestDatabase database) throws Exception {
        endTransaction(database, "COMMIT", true);
    }

    private static void endTransaction(TestDatabase database, String sql, boolean behindASavepoint) throws Exception {
        Handled.createTable(database);
        AtomicBoolean failed = new AtomicBoolean();
        try (Baton baton = database.baton()) {
            append(database, 10);
            Subscription subscription = baton.subscription(NAME)
                    .on("events")
                    .order(MessageOrder.TOTAL)
                    .backoff(Duration.ofMillis(1), Duration.ofMillis(2))
                    .project((message, connection) -> {
                        if (message.position() == 3 && behindASavepoint && !failed.getAndSet(true)) {
                            throw new IllegalStateException("so that it is taken apart");
                        }
                        Handled.add(connection, NAME, List.of(message));
                        if (message.position() == 2 && (!behindASavepoint || failed.get())) {
                            try (Statement statement = connection.createStatement()) {
                                statement.execute(sql);
                            }
                        }
                    })
                    .start();
            Eventually.isTrue(() -> subscription.state() == SubscriptionState.STOPPED);
            assertThat(subscription.note()).contains("ended the transaction");
            assertThat(database.one("SELECT position FROM baton.checkpoint")).isEqualTo("0");
        }
    }

    // ---- shared by the tests

    @FunctionalInterface
    private interface Action {
        void run() throws Exception;
    }

    @FunctionalInterface
    private interface Meddling {
        void with(Connection connection) throws SQLException;
    }

    private static SubscriptionBuilder builder(Baton baton) {
        return baton.subscription(NAME).on("events").backoff(Duration.ofMillis(10), Duration.ofMillis(50));
    }

    private static Subscription start(Baton baton, Action onBad) {
        return start(builder(baton), onBad);
    }

    /** A projection that records every message; before a message of the key {@code bad} it runs the given action. */
    private static Subscription start(SubscriptionBuilder builder, Action onBad) {
        return builder.project((message, connection) -> {
                    if (message.key().equals("bad")) {
                        onBad.run();
                    }
                    Handled.add(connection, NAME, List.of(message));
                })
                .start();
    }

    /** Every fifth row is of the key {@code bad}, all others of keys of their own. */
    private static void append(TestDatabase database, int rows) throws SQLException {
        database.execute(
                "INSERT INTO baton.events (key, payload) SELECT CASE WHEN n % 5 = 0 THEN 'bad' ELSE 'key-' || n END, '{}'"
                        + " FROM generate_series(1, " + rows + ") n");
    }

    private static void awaitOthers(TestDatabase database) {
        Eventually.isTrue(() -> database.one("""
                        SELECT count(*) FROM baton.events e WHERE key <> 'bad'
                           AND NOT EXISTS (SELECT FROM public.handled h WHERE h.position = e.position)""").equals("0"));
    }

    private static String parkedState(TestDatabase database) throws SQLException {
        return database.one("SELECT state FROM baton.parked WHERE key = 'bad'");
    }

    private static void retry(TestDatabase database) throws SQLException {
        database.execute("UPDATE baton.parked SET state = 'retrying', next_attempt_at = clock_timestamp()");
        announce(database);
    }

    private static void announce(TestDatabase database) throws SQLException {
        database.execute("INSERT INTO baton.action (who, what, subject) VALUES ('test', 'retry', 's')");
    }

    private static long count(TestDatabase database, String table) throws SQLException {
        return Long.parseLong(database.one("SELECT count(*) FROM " + table));
    }
}
