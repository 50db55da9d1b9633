package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionBuilder;
import org.pgbaton.subscription.Verdict;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** Waiting messages are handled in order, by the lane's owner alone, and a key that has caught up flows again. */
@BatonTest
class DrainingParkedKeysTest {
    private static final String NAME = "s";
    /** More than several batches. */
    private static final int WAITING = 23;

    @Test
    void aFormerOwnerThatDrainsAKeyCommitsNothing(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE public.call (position bigint, number int)");
        CountDownLatch draining = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (Baton baton = database.baton()) {
            startToDrain(baton, draining, go);
            append(database, "bad", 1);
            draining.await();
            // The next owner's first step, while the transaction of the former owner is still open.
            database.execute("UPDATE baton.checkpoint SET epoch = epoch + 1");
            go.countDown();
            Eventually.isTrue(() -> number(database, "SELECT count(*) FROM public.call") > 0);
            assertThat(number(database, "SELECT min(number) FROM public.call")).isEqualTo(3);
            Eventually.isTrue(() -> number(database, "SELECT count(*) FROM baton.parked") == 0);
            assertThat(number(database, "SELECT count(*) FROM public.call")).isEqualTo(1);
        }
    }

    @Test
    void whatAnOperatorSkipsWhileItIsHandledIsNotApplied(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE public.call (position bigint, number int)");
        CountDownLatch draining = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (Baton baton = database.baton()) {
            startToDrain(baton, draining, go);
            append(database, "bad", 2);
            draining.await();
            long head = number(database, "SELECT min(position) FROM baton.parked_message");
            baton.subscriptions().skip(NAME, "bad", head, "nobody needs it");
            go.countDown();
            Eventually.isTrue(() -> number(database, "SELECT count(*) FROM baton.parked") == 0);
            Eventually.isTrue(() -> number(database, "SELECT count(*) FROM public.call") > 0);
            assertThat(number(database, "SELECT min(position) FROM public.call"))
                    .isGreaterThan(head);
            assertThat(number(database, "SELECT count(*) FROM public.call")).isEqualTo(1);
        }
    }

    @Test
    void aProjectionGetsThemInOrderHoweverManyWait(TestDatabase database) throws Exception {
        Deliveries deliveries = new Deliveries();
        AtomicBoolean broken = new AtomicBoolean(true);
        try (Baton baton = database.baton()) {
            drain(
                    database,
                    builder(baton).project((message, connection) -> {
                        if (broken.get()) {
                            throw new HandlerException(Verdict.PARK, "not yet");
                        }
                        deliveries.begin(message);
                        deliveries.end(message);
                    }),
                    broken,
                    deliveries);
        }
    }

    @Test
    void aReactionGetsThemInOrderHoweverManyWait(TestDatabase database) throws Exception {
        Deliveries deliveries = new Deliveries();
        AtomicBoolean broken = new AtomicBoolean(true);
        try (Baton baton = database.baton()) {
            drain(
                    database,
                    builder(baton).react((message, delivery) -> {
                        if (broken.get()) {
                            throw new HandlerException(Verdict.PARK, "not yet");
                        }
                        deliveries.begin(message);
                        deliveries.end(message);
                    }),
                    broken,
                    deliveries);
        }
    }

    @Test
    void aPublisherGetsThemInOrderHoweverManyWait(TestDatabase database) throws Exception {
        Deliveries deliveries = new Deliveries();
        AtomicBoolean broken = new AtomicBoolean(true);
        try (Baton baton = database.baton()) {
            drain(
                    database,
                    builder(baton).publish(new Answering((message, delivery) -> {
                        if (broken.get()) {
                            return CompletableFuture.failedFuture(new HandlerException(Verdict.PARK, "not yet"));
                        }
                        deliveries.begin(message);
                        deliveries.end(message);
                        return CompletableFuture.completedFuture(null);
                    })),
                    broken,
                    deliveries);
        }
    }

    private static void drain(
            TestDatabase database, SubscriptionBuilder builder, AtomicBoolean broken, Deliveries deliveries)
            throws Exception {
        Subscription subscription = builder.start();
        append(database, "bad", WAITING);
        Eventually.isTrue(() -> number(database, "SELECT count(*) FROM baton.parked_message") == WAITING);
        broken.set(false);
        database.execute("UPDATE baton.parked SET state = 'retrying', next_attempt_at = clock_timestamp()");
        database.execute("INSERT INTO baton.action (who, what, subject) VALUES ('test', 'retry', 's')");
        // While the key is drained, more messages of it come.
        append(database, "bad", WAITING);
        Eventually.isTrue(() -> deliveries.of("bad").size() == 2 * WAITING);
        Eventually.isTrue(() -> number(database, "SELECT count(*) FROM baton.parked") == 0);
        append(database, "bad", 1);
        Eventually.isTrue(() -> deliveries.of("bad").size() == 2 * WAITING + 1);
        assertThat(deliveries.of("bad")).isSorted().doesNotHaveDuplicates();
        assertThat(subscription.stats().keysAside()).isZero();
    }

    /** The first call sets the key aside, and the second one stops in the middle of its transaction. */
    private static void startToDrain(Baton baton, CountDownLatch draining, CountDownLatch go) {
        AtomicInteger calls = new AtomicInteger();
        builder(baton)
                .project((message, connection) -> {
                    int number = calls.incrementAndGet();
                    if (number == 1) {
                        throw new IllegalStateException("so that it is set aside");
                    }
                    record(connection, message.position(), number);
                    if (number == 2) {
                        draining.countDown();
                        go.await();
                    }
                })
                .start();
    }

    private static SubscriptionBuilder builder(Baton baton) {
        return baton.subscription(NAME).on("events").batch(5).backoff(Duration.ofMillis(10), Duration.ofMillis(50));
    }

    private static void append(TestDatabase database, String key, int rows) throws SQLException {
        database.execute("INSERT INTO baton.events (key, payload) SELECT '" + key + "', '{}' FROM generate_series(1, "
                + rows + ")");
    }

    private static void record(Connection connection, long position, int number) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO public.call VALUES (?, ?)")) {
            insert.setLong(1, position);
            insert.setInt(2, number);
            insert.executeUpdate();
        }
    }

    private static long number(TestDatabase database, String sql) throws SQLException {
        return Long.parseLong(database.one(sql));
    }
}
