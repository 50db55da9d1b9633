package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.subscription.Start;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.subscription.Transactions;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** An open transaction holds back the lanes it wrote to, for as long as it is open, and nothing else. */
@BatonTest
class OneLaneWaitsAloneTest {
    private static final String NAME = "waiting";
    private static final Duration AT_ONCE = Duration.ofSeconds(2);

    @Test
    void aLongTransactionElsewhereHoldsNothingBack(TestDatabase database, TestDatabase other) throws Exception {
        database.execute("CREATE TABLE public.business (id integer)");
        try (Connection inAnotherDatabase = other.connect();
                Connection onAnotherTable = database.connect();
                Connection onAnotherLog = database.connect();
                Ear ear = new Ear(database, "ear");
                Connection writer = database.connect()) {
            begin(inAnotherDatabase, "INSERT INTO baton.events (key, payload) VALUES ('k', '{}')");
            begin(onAnotherTable, "INSERT INTO public.business VALUES (1)");
            begin(onAnotherLog, "INSERT INTO baton.outbox (topic, key, payload) VALUES ('t', 'k', '{}')");
            for (int i = 0; i < 32; i++) {
                long position = Ear.append(writer, "key-" + i);
                assertThat(ear.latency(position, System.nanoTime())).isLessThan(AT_ONCE);
            }
        }
    }

    @Test
    void aLongTransactionHoldsBackItsLaneAndStatusNamesIt(TestDatabase database) throws Exception {
        Handled.createTable(database);
        try (Baton baton = database.baton();
                Connection holder = DriverManager.getConnection(database.url() + "&ApplicationName=report")) {
            start(baton, MessageOrder.PER_KEY);
            begin(holder, "INSERT INTO baton.events (key, payload) VALUES ('held', '{}')");
            database.execute(
                    "INSERT INTO baton.events (key, payload) SELECT 'key-' || n, '{}' FROM generate_series(1, 200) n");
            database.execute("INSERT INTO baton.events (key, payload) VALUES ('held', '{}')");
            long elsewhere = Long.parseLong(
                    database.one("SELECT count(*) FROM baton.events WHERE lane <> baton.lane_of('held', 16)"));
            Eventually.isTrue(() -> Handled.count(database, NAME) == elsewhere);
            assertThat(database.one("SELECT held_back_by FROM baton.subscription_status"))
                    .contains("report");
            assertThat(database.one("SELECT count(*) FROM baton.lane_status WHERE held_back_by IS NOT NULL"))
                    .isEqualTo("1");
            assertThat(Handled.verdict(database, NAME, false).lost()).isPositive();

            holder.commit();
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            assertThat(Handled.verdict(database, NAME, false)).matches(Handled.Verdict::isClean);
            assertThat(database.one("SELECT held_back_by FROM baton.subscription_status"))
                    .isEqualTo("null");
        }
    }

    /**
     * Only this test takes a lane's lock exclusively. That stops a writer before it has the lock and draws its
     * position.
     */
    @Test
    void aWriterThatStillWaitsForItsLaneHasNoPositionYet(TestDatabase database) throws Exception {
        Handled.createTable(database);
        try (Baton baton = database.baton();
                Connection gate = database.connect()) {
            start(baton, MessageOrder.PER_KEY);
            begin(
                    gate,
                    "SELECT pg_advisory_xact_lock('baton.events'::regclass::oid::integer, baton.lane_of('held', 16))");
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> append(database, "held"));
            Eventually.isTrue(() -> database.one("""
                            SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                               AND database = (SELECT oid FROM pg_database WHERE datname = current_database())""").equals("1"));
            database.execute(
                    "INSERT INTO baton.events (key, payload) SELECT 'key-' || n, '{}' FROM generate_series(1, 200) n"
                            + " WHERE baton.lane_of('key-' || n, 16) <> baton.lane_of('held', 16)");
            // Idle lanes follow the end of the log, and so does this one, because no open writer is visible in it.
            Eventually.isTrue(() -> database.one(
                            "SELECT min(position) = max(position) AND min(position) > 0 FROM baton.checkpoint")
                    .equals("t"));
            gate.rollback();
            waiting.join();
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            assertThat(Handled.verdict(database, NAME, false)).matches(Handled.Verdict::isClean);
        }
    }

    @Test
    void inTotalOrderEverythingBehindItWaits(TestDatabase database) throws Exception {
        Handled.createTable(database);
        try (Baton baton = database.baton();
                Connection holder = database.connect()) {
            start(baton, MessageOrder.TOTAL);
            database.execute("INSERT INTO baton.events (key, payload) VALUES ('before', '{}')");
            Eventually.isTrue(() -> Handled.count(database, NAME) == 1);
            begin(holder, "INSERT INTO baton.events (key, payload) VALUES ('held', '{}')");
            database.execute(
                    "INSERT INTO baton.events (key, payload) SELECT 'key-' || n, '{}' FROM generate_series(1, 200) n");
            Eventually.isTrue(() -> !database.one("SELECT held_back_by FROM baton.subscription_status")
                    .equals("null"));
            holder.commit();
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            assertThat(Handled.verdict(database, NAME, true)).matches(Handled.Verdict::isClean);
        }
    }

    @Test
    void aSubscriptionFromNowDoesNotMissARowThatIsOpenWhenItBegins(TestDatabase database) throws Exception {
        Handled.createTable(database);
        database.execute(
                "INSERT INTO baton.events (key, payload) SELECT 'old-' || n, '{}' FROM generate_series(1, 500) n");
        try (Baton baton = database.baton();
                Connection before = database.connect();
                Connection open = database.connect()) {
            // The first transaction keeps the subscription from beginning until the second, later one has drawn its
            // position.
            begin(before, "INSERT INTO baton.events (key, payload) VALUES ('before', '{}')");
            CompletableFuture<Subscription> starting = CompletableFuture.supplyAsync(() -> baton.subscription(NAME)
                    .on("events")
                    .from(Start.now())
                    .project((message, connection) -> Handled.add(connection, NAME, List.of(message)))
                    .start());
            Eventually.isTrue(() -> baton.hubStats().looks() > 2);
            begin(open, "INSERT INTO baton.events (key, payload) VALUES ('open', '{}')");
            before.commit();
            starting.join();
            open.commit();
            Eventually.isTrue(() -> database.one("SELECT count(*) FROM public.handled WHERE key = 'open'")
                    .equals("1"));
            assertThat(database.one("SELECT count(*) FROM public.handled WHERE key LIKE 'old%'"))
                    .isEqualTo("0");
        }
    }

    @Test
    void aSubscriptionFromNowGetsNothingOldWhileShortTransactionsComeAndGo(TestDatabase database) throws Exception {
        Handled.createTable(database);
        database.execute(
                "INSERT INTO baton.events (key, payload) SELECT 'old-' || n, '{}' FROM generate_series(1, 500) n");
        try (Baton baton = database.baton();
                Writers writers = Writers.startShort(database, 6)) {
            Eventually.isTrue(() -> writers.transactions() > 50);
            baton.subscription(NAME)
                    .on("events")
                    .from(Start.now())
                    .project((message, connection) -> Handled.add(connection, NAME, List.of(message)))
                    .start();
            Eventually.isTrue(() -> Handled.count(database, NAME) > 50);
            writers.stop();
            assertThat(database.one("SELECT count(*) FROM public.handled WHERE key LIKE 'old%'"))
                    .isEqualTo("0");
        }
    }

    @Test
    void anotherDefaultIsolationOfTheDatabaseLosesNothing(TestDatabase database) throws Exception {
        Handled.createTable(database);
        database.execute(
                "ALTER DATABASE " + database.name() + " SET default_transaction_isolation = 'repeatable read'");
        try (Baton baton = database.baton();
                Writers writers = Writers.start(database, 8)) {
            start(baton, MessageOrder.PER_KEY);
            Eventually.isTrue(() -> writers.transactions() > 300);
            writers.stop();
            Eventually.isTrue(() -> Handled.isComplete(database, NAME));
            assertThat(Handled.verdict(database, NAME, false)).matches(Handled.Verdict::isClean);
        }
    }

    @Test
    void transactionsOfTheApplicationWithAnotherIsolationAreRefused(TestDatabase database) throws Exception {
        Handled.createTable(database);
        Transactions repeatableRead = work -> {
            try (Connection connection = database.connect()) {
                connection.setAutoCommit(false);
                connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                work.on(connection);
                connection.commit();
            }
        };
        try (Baton baton = database.baton()) {
            Subscription subscription = baton.subscription(NAME)
                    .on("events")
                    .transactions(repeatableRead)
                    .project((message, connection) -> Handled.add(connection, NAME, List.of(message)))
                    .start();
            database.execute("INSERT INTO baton.events (key, payload) VALUES ('k', '{}')");
            Eventually.isTrue(() -> subscription.state() == SubscriptionState.STOPPED);
            assertThat(subscription.note()).contains("READ COMMITTED");
            assertThat(subscription.health().isHealthy()).isFalse();
            assertThat(Handled.count(database, NAME)).isZero();
        }
    }

    private static void start(Baton baton, MessageOrder order) {
        baton.subscription(NAME)
                .on("events")
                .order(order)
                .project((message, connection) -> Handled.add(connection, NAME, List.of(message)))
                .start();
    }

    private static void append(TestDatabase database, String key) {
        try (Connection connection = database.connect()) {
            Ear.append(connection, key);
        } catch (SQLException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }

    private static void begin(Connection connection, String sql) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
