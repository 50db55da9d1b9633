package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionBuilder;
import org.pgbaton.subscription.Transactions;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * Promise 6, when the handler has returned already: the writes of a message are refused at COMMIT. One of twenty keys
 * is bad; the other nineteen go on, and the bad one is parked, with PostgreSQL's error. An outage is still an outage.
 */
@BatonTest
class WhatFailsAtCommitTest {
    private static final String NAME = "s";
    private static final Duration SOON = Duration.ofSeconds(60);

    @FunctionalInterface
    private interface Writing {
        void with(Message message, Connection connection) throws SQLException;
    }

    @Test
    void aDeferredForeignKeyIsViolated(TestDatabase database) throws Exception {
        prepareDeferred(database);
        oneBadKeyOfTwenty(database, builder -> builder, WhatFailsAtCommitTest::writeChild);
        assertThat(database.one("SELECT error FROM baton.parked")).contains("violates foreign key");
    }

    @Test
    void aDeferredForeignKeyIsViolatedInABatch(TestDatabase database) throws Exception {
        prepareDeferred(database);
        append(database);
        try (Baton baton = database.baton()) {
            builder(baton)
                    .projectBatches((messages, connection) -> {
                        for (Message message : messages) {
                            writeChild(message, connection);
                        }
                        Handled.add(connection, NAME, messages);
                    })
                    .start();
            awaitAllButTheBadKey(database);
        }
    }

    @Test
    void inTotalOrderEverythingBehindItWaits(TestDatabase database) throws Exception {
        prepareDeferred(database);
        append(database);
        try (Baton baton = database.baton()) {
            start(builder(baton).order(MessageOrder.TOTAL), WhatFailsAtCommitTest::writeChild);
            Eventually.isTrue(SOON, () -> parkedState(database).equals("parked"));
            assertThat(Handled.count(database, NAME)).isEqualTo(13);
            database.execute("INSERT INTO public.parent VALUES ('bad')");
            baton.subscriptions().retry(NAME, "bad", "the parent is there");
            Eventually.isTrue(SOON, () -> Handled.isComplete(database, NAME));
            assertThat(Handled.verdict(database, NAME, true)).matches(Handled.Verdict::isClean);
        }
    }

    @Test
    void theConstraintIsStillDeferredWithinEachMessage(TestDatabase database) throws Exception {
        prepareDeferred(database);
        oneBadKeyOfTwenty(database, builder -> builder, (message, connection) -> {
            writeChild(message, connection);
            // Every message inserts the child before its parent, also those after the one that failed.
            execute(connection, "INSERT INTO public.child VALUES ('late " + message.position() + "')");
            execute(connection, "INSERT INTO public.parent VALUES ('late " + message.position() + "')");
        });
    }

    @Test
    void aDeferredTriggerMeetsAConflict(TestDatabase database) throws Exception {
        Handled.createTable(database);
        database.execute("""
                CREATE FUNCTION public.conflict() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'could not serialize access' USING ERRCODE = '40001'; END $$;
                CREATE CONSTRAINT TRIGGER conflict AFTER INSERT ON public.handled DEFERRABLE INITIALLY DEFERRED
                  FOR EACH ROW WHEN (new.key = 'bad') EXECUTE FUNCTION public.conflict()""");
        oneBadKeyOfTwenty(database, builder -> builder, (message, connection) -> {});
        assertThat(database.one("SELECT error FROM baton.parked")).contains("could not serialize");
    }

    /** COMMIT reads a WITH HOLD cursor to its end, so its failure cannot be found before. */
    @Test
    void onlyTheCommitItselfCanTell(TestDatabase database) throws Exception {
        Handled.createTable(database);
        oneBadKeyOfTwenty(database, builder -> builder, (message, connection) -> {
            if (isBad(message)) {
                execute(connection, "DECLARE c CURSOR WITH HOLD FOR SELECT 1 / (length(" + "current_user) * 0)");
            }
        });
        assertThat(database.one("SELECT error FROM baton.parked")).contains("division by zero");
    }

    @Test
    void theTransactionManagerWritesOnlyThen(TestDatabase database) throws Exception {
        Handled.createTable(database);
        ThreadLocal<Boolean> refuses = ThreadLocal.withInitial(() -> false);
        Transactions own = work -> {
            refuses.set(false);
            try (Connection connection = DriverManager.getConnection(database.url())) {
                connection.setAutoCommit(false);
                work.on(connection);
                if (refuses.get()) {
                    throw new IllegalStateException("not-null property references a null value");
                }
                connection.commit();
            }
        };
        oneBadKeyOfTwenty(database, builder -> builder.transactions(own), (message, connection) -> {
            if (isBad(message)) {
                refuses.set(true);
            }
        });
        assertThat(database.one("SELECT error FROM baton.parked")).contains("not-null property");
    }

    @Test
    void oncePutRightTheKeyGoesOnInOrder(TestDatabase database) throws Exception {
        prepareDeferred(database);
        append(database);
        try (Baton baton = database.baton()) {
            start(builder(baton), WhatFailsAtCommitTest::writeChild);
            Eventually.isTrue(SOON, () -> parkedState(database).equals("parked"));
            database.execute("INSERT INTO public.parent VALUES ('bad')");
            baton.subscriptions().retry(NAME, "bad", "the parent is there");
            Eventually.isTrue(SOON, () -> Handled.isComplete(database, NAME));
            assertThat(Handled.verdict(database, NAME, false)).matches(Handled.Verdict::isClean);
        }
    }

    @Test
    void aDatabaseThatIsReadOnlyForAWhileBurnsNoAttempts(TestDatabase database) throws Exception {
        Handled.createTable(database);
        outage(database, "SET LOCAL transaction_read_only = on", "read-only");
    }

    @Test
    void aFullDiskBurnsNoAttempts(TestDatabase database) throws Exception {
        Handled.createTable(database);
        database.execute("""
                CREATE FUNCTION public.full() RETURNS integer LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$""");
        outage(database, "DECLARE c CURSOR WITH HOLD FOR SELECT public.full()", "No space left");
    }

    @Test
    void aConnectionThatBreaksAtCommitBurnsNoAttempts(TestDatabase database) throws Exception {
        Handled.createTable(database);
        outage(
                database,
                "DECLARE c CURSOR WITH HOLD FOR SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(10)",
                "terminating connection");
    }

    /** The first transactions with a message fail at their end, for a reason that has nothing to do with messages. */
    private static void outage(TestDatabase database, String sql, String told) throws Exception {
        AtomicInteger times = new AtomicInteger(4);
        append(database);
        try (Baton baton = database.baton()) {
            Subscription subscription = start(builder(baton).attempts(1).workers(1), (message, connection) -> {
                if (message.position() == 14 && times.getAndDecrement() > 0) {
                    execute(connection, sql);
                }
            });
            Eventually.isTrue(
                    () -> subscription.note() != null && subscription.note().contains(told));
            Eventually.isTrue(SOON, () -> Handled.isComplete(database, NAME));
            assertThat(Handled.verdict(database, NAME, false)).matches(Handled.Verdict::isClean);
            assertThat(database.one("SELECT count(*) FROM baton.parked")).isEqualTo("0");
            assertThat(subscription.stats().failures()).isZero();
        }
    }

    private static void oneBadKeyOfTwenty(
            TestDatabase database, java.util.function.UnaryOperator<SubscriptionBuilder> options, Writing writing)
            throws Exception {
        append(database);
        try (Baton baton = database.baton()) {
            start(options.apply(builder(baton)), writing);
            awaitAllButTheBadKey(database);
        }
    }

    private static void awaitAllButTheBadKey(TestDatabase database) throws SQLException {
        Eventually.isTrue(SOON, () -> parkedState(database).equals("parked"));
        Eventually.isTrue(SOON, () -> database.one("""
                        SELECT count(*) FROM baton.events e WHERE key <> 'bad'
                           AND NOT EXISTS (SELECT FROM public.handled h WHERE h.position = e.position)""").equals("0"));
        Handled.Verdict verdict = Handled.verdict(database, NAME, false);
        assertThat(verdict.handled()).isEqualTo(38);
        assertThat(verdict.twice() + verdict.outOfOrder()).isZero();
        assertThat(database.one("SELECT string_agg(key || ' ' || attempts, ', ') FROM baton.parked"))
                .isEqualTo("bad 2");
        assertThat(database.one("SELECT count(*) FROM baton.parked_message")).isEqualTo("2");
    }

    private static SubscriptionBuilder builder(Baton baton) {
        return baton.subscription(NAME).on("events").attempts(2).backoff(Duration.ofMillis(10), Duration.ofMillis(50));
    }

    private static Subscription start(SubscriptionBuilder builder, Writing writing) {
        return builder.project((message, connection) -> {
                    Handled.add(connection, NAME, List.of(message));
                    writing.with(message, connection);
                })
                .start();
    }

    /** Each key needs an existing row; the bad key has none. */
    private static void prepareDeferred(TestDatabase database) throws SQLException {
        Handled.createTable(database);
        database.execute("""
                CREATE TABLE public.parent (id text PRIMARY KEY);
                CREATE TABLE public.child (id text REFERENCES public.parent DEFERRABLE INITIALLY DEFERRED);
                INSERT INTO public.parent SELECT 'key-' || n FROM generate_series(0, 19) n""");
    }

    private static void writeChild(Message message, Connection connection) throws SQLException {
        execute(connection, "INSERT INTO public.child VALUES ('" + message.key() + "')");
    }

    /** Two messages of each of twenty keys, in one transaction; the fourteenth of both rounds is of the bad key. */
    private static void append(TestDatabase database) throws SQLException {
        database.execute("""
                INSERT INTO baton.events (key, payload)
                SELECT CASE WHEN n % 20 = 13 THEN 'bad' ELSE 'key-' || n % 20 END, '{}' FROM generate_series(0, 39) n""");
    }

    private static boolean isBad(Message message) {
        return message.key().equals("bad");
    }

    private static String parkedState(TestDatabase database) throws SQLException {
        return database.one("SELECT state FROM baton.parked WHERE key = 'bad'");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
