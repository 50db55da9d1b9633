package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.subscription.SubscriptionBuilder;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * Within a process two calls of one key never overlap, whatever happens to its connections while a call is in flight: the call outlives its
 * lane, its session, its transaction, and its key waits for it; the others go on.
 */
@BatonTest
class OneCallOfAKeyAtATimeTest {
    private static final String NAME = "s";
    private static final Duration SLOW = Duration.ofMillis(200);

    @Test
    void althoughThePoolRefusesWhileASlowCallIsInFlight(TestDatabase database) throws Exception {
        AtomicBoolean refuses = new AtomicBoolean();
        AtomicInteger refusals = new AtomicInteger();
        try (Baton baton = Baton.builder(
                                pool(database, refuses, refusals),
                                () -> database.dataSource().getConnection())
                        .open();
                Held held = new Held()) {
            // One lane, so that what fails is the lane of the key whose call is in flight.
            database.execute("SELECT baton.create_log('single', 1)");
            held.reaction(baton.subscription(NAME).on("single").slowKey(SLOW)).start();
            append(database, "single", "held", 2);
            held.inside.await();
            Eventually.isTrue(() -> count(database, "baton.parked") == 1);
            for (int i = 0; i < 2; i++) {
                int before = refusals.get();
                refuses.set(true);
                append(database, "single", "other", 1);
                Eventually.isTrue(() -> refusals.get() > before + 1);
                refuses.set(false);
                append(database, "single", "other", 1);
                held.awaitCalls("other", 2 + i * 2);
            }
            held.mustNotOverlap();
            held.finish();
            held.awaitCalls("held", 2);
            assertThat(held.deliveries.of("held").stream().distinct())
                    .hasSize(2)
                    .isSorted();
            assertThat(held.deliveries.everOverlapped()).isFalse();
        }
    }

    @Test
    void althoughTheSessionIsLostWhileASlowCallIsInFlight(TestDatabase database) throws Exception {
        loseTheSession(database, true, MessageOrder.PER_KEY);
    }

    @Test
    void althoughTheSessionIsLostWhileACallIsInFlight(TestDatabase database) throws Exception {
        loseTheSession(database, false, MessageOrder.PER_KEY);
    }

    @Test
    void inTotalOrderNoTwoCallsOverlapAtAll(TestDatabase database) throws Exception {
        loseTheSession(database, false, MessageOrder.TOTAL);
    }

    private static void loseTheSession(TestDatabase database, boolean slow, MessageOrder order) throws Exception {
        try (Baton baton = database.baton();
                Held held = new Held()) {
            held.reaction(baton.subscription(NAME)
                            .on("events")
                            .order(order)
                            .slowKey(slow ? SLOW : Duration.ofSeconds(20))
                            .handlerLimit(Duration.ofMinutes(2)))
                    .start();
            append(database, "events", "held", 2);
            held.inside.await();
            if (slow) {
                Eventually.isTrue(() -> count(database, "baton.parked") == 1);
            }
            Delivery first = held.given.element();
            assertThat(first.isCurrent()).isTrue();
            long epoch = epochOf(database, "held");
            assertThat(database.terminate("baton session%")).isEqualTo(1);
            Eventually.isTrue(() -> epochOf(database, "held") > epoch);
            assertThat(first.isCurrent()).isFalse();
            append(database, "events", "held", 1);
            append(database, "events", "other", 50);
            if (order == MessageOrder.PER_KEY) {
                held.awaitCalls("other", 50);
            }
            held.mustNotOverlap();
            held.finish();
            Eventually.isTrue(
                    () -> held.deliveries.of("held").stream().distinct().count() == 3
                            && held.deliveries.of("other").size() >= 50);
            assertThat(held.deliveries.of("held").stream().distinct()).isSorted();
            assertThat(held.deliveries.everOverlapped()).isFalse();
            Eventually.isTrue(() -> count(database, "baton.parked") == 0);
        }
    }

    @Test
    void aProjectionIsNotCalledForTheKeyEither(TestDatabase database) throws Exception {
        Handled.createTable(database);
        try (Baton baton = database.baton();
                Held held = new Held()) {
            baton.subscription(NAME)
                    .on("events")
                    .handlerLimit(Duration.ofMinutes(2))
                    .project((message, connection) -> {
                        held.call(message, null);
                        Handled.add(connection, NAME, List.of(message));
                    })
                    .start();
            append(database, "events", "held", 2);
            held.inside.await();
            long epoch = epochOf(database, "held");
            assertThat(database.terminate("baton session%")).isEqualTo(1);
            Eventually.isTrue(() -> epochOf(database, "held") > epoch);
            append(database, "events", "other", 50);
            held.awaitCalls("other", 50);
            held.mustNotOverlap();
            held.finish();
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            assertThat(Handled.verdict(database, NAME, false)).matches(Handled.Verdict::isClean);
            assertThat(held.deliveries.everOverlapped()).isFalse();
        }
    }

    @Test
    void aPublisherIsNotHandedTheNextMessageBeforeItHasAnsweredTheLast(TestDatabase database) throws Exception {
        Deliveries deliveries = new Deliveries();
        CompletableFuture<Void> answer = new CompletableFuture<>();
        try (Baton baton = database.baton()) {
            baton.subscription(NAME)
                    .on("events")
                    .slowKey(SLOW)
                    .publish(new Answering((message, delivery) -> {
                        deliveries.begin(message);
                        CompletableFuture<Void> answered =
                                message.key().equals("held") ? answer : CompletableFuture.completedFuture(null);
                        return answered.thenRun(() -> deliveries.end(message));
                    }))
                    .start();
            append(database, "events", "other", 50);
            Eventually.isTrue(() -> deliveries.of("other").size() == 50);
            append(database, "events", "held", 3);
            append(database, "events", "other", 50);
            Eventually.isTrue(() -> deliveries.of("held").size() == 1);
            long epoch = epochOf(database, "held");
            assertThat(database.terminate("baton session%")).isEqualTo(1);
            Eventually.isTrue(() -> epochOf(database, "held") > epoch);
            append(database, "events", "other", 50);
            Eventually.isTrue(() -> deliveries.of("other").stream().distinct().count() == 150);
            assertThat(deliveries.of("held")).hasSize(1);
            answer.complete(null);
            Eventually.isTrue(() -> deliveries.of("held").stream().distinct().count() == 3);
            assertThat(deliveries.everOverlapped()).isFalse();
        }
    }

    /** A handler that stays in its first call of the key {@code held} until it may return. */
    private static final class Held implements AutoCloseable {
        final Deliveries deliveries = new Deliveries();
        final CountDownLatch inside = new CountDownLatch(1);
        final Queue<Delivery> given = new ConcurrentLinkedQueue<>();
        private final CountDownLatch go = new CountDownLatch(1);

        SubscriptionBuilder reaction(SubscriptionBuilder builder) {
            return builder.react(this::call);
        }

        void call(Message message, @Nullable Delivery delivery) throws InterruptedException {
            deliveries.begin(message);
            if (message.key().equals("held")) {
                if (delivery != null) {
                    given.add(delivery);
                }
                inside.countDown();
                go.await();
            }
            deliveries.end(message);
        }

        void awaitCalls(String key, int number) {
            Eventually.isTrue(() -> deliveries.of(key).stream().distinct().count() >= number);
        }

        /**
         * Waits until a second call would have happened: all other messages were handled, and the lanes were looked at
         * again.
         */
        void mustNotOverlap() throws InterruptedException {
            Thread.sleep(SLOW.toMillis() * 2); // enough for a second call, if there were one
            assertThat(deliveries.of("held")).hasSize(1);
        }

        void finish() {
            go.countDown();
        }

        /** Closed before the subscription, which would wait for the call. */
        @Override
        public void close() {
            finish();
        }
    }

    /** The application's pool, which gives out no connection for a while. */
    private static DataSource pool(TestDatabase database, AtomicBoolean refuses, AtomicInteger refusals) {
        DataSource real = database.dataSource();
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getConnection") && refuses.get()) {
                        refusals.incrementAndGet();
                        throw new SQLException("the pool is empty", "08001");
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }

    private static void append(TestDatabase database, String log, String key, int rows) throws SQLException {
        database.execute("INSERT INTO baton." + log + " (key, payload) SELECT '" + key
                + "', '{}' FROM generate_series(1, " + rows + ")");
    }

    private static long epochOf(TestDatabase database, String key) throws SQLException {
        return Long.parseLong(database.one(
                "SELECT max(epoch) FROM baton.checkpoint WHERE lane < 0 OR lane = baton.lane_of(?, 16)", key));
    }

    private static long count(TestDatabase database, String table) throws SQLException {
        return Long.parseLong(database.one("SELECT count(*) FROM " + table));
    }
}
