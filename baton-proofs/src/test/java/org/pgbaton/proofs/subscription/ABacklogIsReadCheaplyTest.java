package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * How much PostgreSQL goes through for a message of a backlog does not grow with the number of workers and processes; and batches grow
 * while the handler is quick, without losing anything when something fails in the middle of one.
 */
@BatonTest
class ABacklogIsReadCheaplyTest {
    private static final int ROWS = 40_000;
    private static final int USUAL = 500;
    private static final int LARGEST = 5000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void ofManyWorkersEachReadsTheRowsOfItsOwnLaneOnly(TestDatabase database) throws Exception {
        append(database, ROWS);
        long before = fetched(database);
        LongAdder handled = new LongAdder();
        try (Baton baton = database.baton();
                Subscription subscription = baton.subscription("s")
                        .on("events")
                        .reactToBatches((messages, delivery) -> handled.add(messages.size()))
                        .workers(16)
                        .start()) {
            Eventually.isTrue(PATIENCE, () -> handled.sum() >= ROWS);
            assertThat(subscription.stats().failures()).isZero();
        }
        // A backend reports what it fetched at the latest when it ends.
        Eventually.isTrue(PATIENCE, () -> fetched(database) - before >= ROWS);
        assertThat(fetched(database) - before).isLessThan(2 * ROWS);
    }

    @Test
    void batchesGrowWhileThereIsABacklogAndTheHandlerIsQuick(TestDatabase database) throws Exception {
        AtomicInteger largest = new AtomicInteger();
        AtomicInteger largestFixed = new AtomicInteger();
        LongAdder handled = new LongAdder();
        append(database, ROWS);
        try (Baton baton = database.baton();
                Subscription growing = baton.subscription("growing")
                        .on("events")
                        .reactToBatches((messages, delivery) -> largest.accumulateAndGet(messages.size(), Math::max))
                        .workers(1)
                        .start();
                Subscription fixed = baton.subscription("fixed")
                        .on("events")
                        .reactToBatches((messages, delivery) -> {
                            largestFixed.accumulateAndGet(messages.size(), Math::max);
                            handled.add(messages.size());
                        })
                        .batch(USUAL)
                        .workers(1)
                        .start()) {
            appendUntil(database, () -> largest.get() > USUAL);
            Eventually.isTrue(PATIENCE, () -> handled.sum() >= ROWS);
            assertThat(largest.get()).isLessThanOrEqualTo(LARGEST);
            assertThat(largestFixed.get()).isEqualTo(USUAL);
            assertThat(growing.stats().failures() + fixed.stats().failures()).isZero();
        }
    }

    /** A batch grows only after a quick one, and on a busy machine it may take a while until there is one. */
    private static void appendUntil(TestDatabase database, BooleanSupplier isSo) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!isSo.getAsBoolean() && System.nanoTime() < end) {
            append(database, USUAL * 10);
        }
        assertThat(isSo.getAsBoolean()).isTrue();
    }

    @Test
    void aThreadOfTheApplicationIsGivenBackFromTimeToTime(TestDatabase database) throws Exception {
        append(database, ROWS);
        LongAdder handled = new LongAdder();
        CountDownLatch turn = new CountDownLatch(1);
        ExecutorService only = Executors.newSingleThreadExecutor();
        try (Baton baton = database.baton();
                Subscription busy = baton.subscription("busy")
                        .on("events")
                        .projectBatches((messages, connection) -> {
                            handled.add(messages.size());
                            Thread.sleep(20);
                        })
                        .order(MessageOrder.TOTAL) // a single claim, so no lane of its own waits
                        .batch(10)
                        .executor(only)
                        .start()) {
            Eventually.isTrue(PATIENCE, () -> handled.sum() > 0);
            try (Subscription other = baton.subscription("other")
                    .on("events")
                    .projectBatches((messages, connection) -> turn.countDown())
                    .executor(only)
                    .start()) {
                assertThat(turn.await(20, TimeUnit.SECONDS)).isTrue();
                assertThat(handled.sum()).isLessThan(ROWS);
                assertThat(List.of(busy.stats().failures(), other.stats().failures()))
                        .containsOnly(0L);
            }
        } finally {
            only.shutdownNow();
        }
    }

    @Test
    void aLaneThatWasHeldBackDoesNotWaitForTheBacklogOfTheOthers(TestDatabase database) throws Exception {
        LongAdder handled = new LongAdder();
        CountDownLatch held = new CountDownLatch(1);
        try (Baton baton = database.baton();
                Connection late = database.connect();
                Statement statement = late.createStatement();
                Subscription subscription = baton.subscription("s")
                        .on("events")
                        .reactToBatches((messages, delivery) -> {
                            handled.add(messages.size());
                            if (messages.stream()
                                    .anyMatch(message -> message.key().equals("held"))) {
                                held.countDown();
                            }
                            Thread.sleep(20);
                        })
                        .batch(10)
                        .workers(1)
                        .start()) {
            Eventually.isTrue(() -> subscription.stats().lanes() == 16);
            baton.subscriptions().pause("s", "so that one claim has all lanes");
            Eventually.isTrue(() -> subscription.health().state() == SubscriptionState.PAUSED);
            append(database, 1000);
            late.setAutoCommit(false);
            statement.execute("INSERT INTO baton.events (key, type, payload) VALUES ('held', 'late', '{}')");
            append(database, ROWS);
            baton.subscriptions().resume("s", "so that one claim has all lanes");
            Eventually.isTrue(PATIENCE, () -> handled.sum() > 1200);
            late.commit();
            assertThat(held.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(handled.sum()).isLessThan(ROWS);
            assertThat(subscription.stats().failures()).isZero();
        }
    }

    @Test
    void aMessageThatFailsInALargeBatchIsSetAsideAndAllOthersAreAppliedOnce(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE public.applied (position bigint PRIMARY KEY, key text NOT NULL)");
        AtomicReference<Message> poison = new AtomicReference<>();
        Map<Long, Integer> transactions = new LinkedHashMap<>();
        append(database, ROWS);
        try (Baton baton = database.baton();
                Subscription subscription = baton.subscription("s")
                        .on("events")
                        .projectBatches((messages, connection) -> {
                            if (messages.size() > USUAL) {
                                poison.compareAndSet(null, messages.get(messages.size() - 1));
                            }
                            Message bad = poison.get();
                            if (bad != null) {
                                transactions.merge(transaction(connection), messages.size(), Integer::sum);
                            }
                            if (bad != null
                                    && messages.stream().anyMatch(message -> message.position() == bad.position())) {
                                throw new IllegalStateException("poison");
                            }
                            apply(connection, messages);
                        })
                        .workers(1)
                        .attempts(1)
                        .start()) {
            appendUntil(database, () -> poison.get() != null);
            Message bad = poison.get();
            String others = "key <> '" + bad.key() + "'";
            Eventually.isTrue(
                    PATIENCE,
                    () -> count(database, "public.applied", others) == count(database, "baton.events", others));
            Eventually.isTrue(PATIENCE, () -> subscription.stats().keysParked() == 1);
            List<Integer> sizes = List.copyOf(transactions.values());
            assertThat(sizes.get(0)).as("the one that failed").isGreaterThan(USUAL);
            assertThat(sizes.get(1)).as("each message behind a savepoint").isLessThanOrEqualTo(USUAL);
            // With it wait the messages of its key that came in the same call, and all that follow.
            String same = "key = '" + bad.key() + "'";
            Eventually.isTrue(
                    PATIENCE,
                    () -> count(database, "public.applied", same) + count(database, "baton.parked_message", "true")
                            == count(database, "baton.events", same));
            String late = same + " AND position >= (SELECT min(position) FROM baton.parked_message)";
            assertThat(count(database, "public.applied", late)).isZero();
        }
    }

    private static long transaction(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_current_xact_id()::text::bigint")) {
            row.next();
            return row.getLong(1);
        }
    }

    private static long count(TestDatabase database, String table, String condition) throws SQLException {
        return Long.parseLong(database.one("SELECT count(*) FROM " + table + " WHERE " + condition));
    }

    private static void apply(Connection connection, List<Message> messages) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO public.applied SELECT * FROM unnest(?::bigint[], ?::text[])")) {
            insert.setArray(
                    1,
                    connection.createArrayOf(
                            "int8", messages.stream().map(Message::position).toArray()));
            insert.setArray(
                    2,
                    connection.createArrayOf(
                            "text", messages.stream().map(Message::key).toArray()));
            insert.executeUpdate();
        }
    }

    private static void append(TestDatabase database, int rows) throws SQLException {
        database.execute("INSERT INTO baton.events (key, type, payload) SELECT 'key-' || g % 100, 'happened', '{}' "
                + "FROM generate_series(1, " + rows + ") g");
        database.execute("ANALYZE baton.events");
    }

    private static long fetched(TestDatabase database) throws SQLException {
        return Long.parseLong(
                database.one("SELECT idx_tup_fetch FROM pg_stat_user_tables WHERE relid = 'baton.events'::regclass"));
    }
}
