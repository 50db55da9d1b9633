package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgbaton.Baton;
import org.pgbaton.log.LogOptions;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.subscription.Start;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

@BatonTest
class BeginningNowTest {
    private final List<String> handled = new CopyOnWriteArrayList<>();

    private void start(Baton baton, MessageOrder order) {
        baton.subscription("now")
                .on("events")
                .order(order)
                .from(Start.now())
                .react((message, delivery) -> handled.add(message.key()))
                .start();
    }

    @ParameterizedTest
    @EnumSource
    void besideATransactionThatStaysOpenMissesNothingOfItAndRepeatsNotTheHistory(
            MessageOrder order, TestDatabase database) throws Exception {
        database.execute(
                "INSERT INTO baton.events (key, payload) SELECT 'old-' || n, '{}' FROM generate_series(1, 200) n");
        database.execute("SELECT pg_sleep(1.5)");
        try (Baton baton = database.baton();
                Connection open = database.connect();
                Statement statement = open.createStatement()) {
            open.setAutoCommit(false);
            statement.execute("INSERT INTO baton.events (key, payload) VALUES ('open', '{}')");
            start(baton, order);
            statement.execute("INSERT INTO baton.events (key, payload) VALUES ('open', '{}')");
            open.commit();
            Eventually.isTrue(() -> handled.size() == 2);

            assertThat(handled).containsExactly("open", "open");
        }
    }

    @Test
    void whatIsCommittedAfterStartingIsHandled(TestDatabase database) throws Exception {
        database.execute("INSERT INTO baton.events (key, payload) VALUES ('old', '{}')");
        try (Baton baton = database.baton()) {
            start(baton, MessageOrder.PER_KEY);
            database.execute("INSERT INTO baton.events (key, payload) VALUES ('new', '{}')");
            Eventually.isTrue(() -> !handled.isEmpty());

            assertThat(handled).containsExactly("new");
        }
    }

    /** One wait for all lanes together, not one for each. */
    @Test
    void besideATransactionOverAllLanesDoesNotWaitForEachOfThem(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection open = database.connect();
                Statement statement = open.createStatement()) {
            baton.logs().create("wide", LogOptions.defaults().lanes(64));
            open.setAutoCommit(false);
            statement.execute(
                    "INSERT INTO baton.wide (key, payload) SELECT 'open-' || n, '{}' FROM generate_series(1, 1000) n");
            assertThat(database.one("SELECT count(DISTINCT lane) FROM baton.log_writers WHERE log = 'wide'"))
                    .isEqualTo("64");
            long begun = System.nanoTime();
            baton.subscription("now")
                    .on("wide")
                    .from(Start.now())
                    .react((message, delivery) -> handled.add(message.key()))
                    .start();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(20));
            open.commit();
            Eventually.isTrue(() -> handled.size() == 1000);
        }
    }

    /**
     * The subscription was registered, then paused and resumed before it began. It begins when it is resumed, at the
     * position of that moment.
     */
    @Test
    void afterAPauseBeforeItBeganDoesNotRepeatTheHistory(TestDatabase database) throws Exception {
        database.execute(
                "INSERT INTO baton.events (key, payload) SELECT 'old-' || n, '{}' FROM generate_series(1, 200) n");
        try (Baton baton = database.baton();
                Connection open = database.connect();
                Statement statement = open.createStatement()) {
            open.setAutoCommit(false);
            statement.execute("SET LOCAL baton.doorbell = off");
            statement.execute("INSERT INTO baton.events (key, payload) VALUES ('open', '{}')");
            statement.execute("PREPARE TRANSACTION 'nobody knows since when'");
            // It cannot find out the present position and gives up: it is registered, and has not begun.
            CompletableFuture<Void> starting = CompletableFuture.runAsync(() -> start(baton, MessageOrder.PER_KEY));
            Eventually.isTrue(() -> database.one("SELECT state FROM baton.subscription WHERE name = 'now'")
                    .equals("new"));
            baton.subscriptions().pause("now", "not yet");
            baton.subscriptions().resume("now", "go on");
            open.setAutoCommit(true);
            statement.execute("ROLLBACK PREPARED 'nobody knows since when'");
            starting.get(60, TimeUnit.SECONDS);
            database.execute("INSERT INTO baton.events (key, payload) VALUES ('new', '{}')");
            Eventually.isTrue(() -> handled.contains("new"));

            assertThat(handled).containsExactly("new");
        }
    }

    @Test
    void pausedBeforeItBeganItStaysPausedAndBeginsWhereItWasStarted(TestDatabase database) throws Exception {
        database.execute("INSERT INTO baton.events (key, payload) VALUES ('old', '{}')");
        database.execute("INSERT INTO baton.subscription (name, log, ordering, state, begun)"
                + " VALUES ('now', 'events', 'key', 'new', false)");
        try (Baton baton = database.baton()) {
            baton.subscriptions().pause("now", "not yet");
            start(baton, MessageOrder.PER_KEY);
            database.execute("INSERT INTO baton.events (key, payload) VALUES ('new', '{}')");
            assertThat(database.one("SELECT state FROM baton.subscription")).isEqualTo("paused");
            baton.subscriptions().resume("now", "go on");
            Eventually.isTrue(() -> !handled.isEmpty());

            assertThat(handled).containsExactly("new");
        }
    }
}
