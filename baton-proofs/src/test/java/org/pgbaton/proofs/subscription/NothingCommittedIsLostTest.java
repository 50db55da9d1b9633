package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pgbaton.proofs.subscription.ReaderProgram.BY_KEY;
import static org.pgbaton.proofs.subscription.ReaderProgram.IN_TOTAL_ORDER;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgbaton.embedded.StopMode;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/**
 * Promise 1: a committed row is never skipped by a subscription, whatever the order in which transactions commit. Promise 2: rows with the
 * same key are handled in position order. Many writers of every kind, three processes that read per key and in total order, one
 * of them killed, the server restarted with a prepared transaction open.
 *
 * <p>{@link TheCheckerFindsMistakesTest} and planted bugs show that this harness can fail.
 */
class NothingCommittedIsLostTest {
    private static final int WRITERS = 12;
    /** A run with less traffic between two disturbances shows nothing. */
    private static final long SOME = 300;

    @Test
    void noneTwiceAndNoneOutOfOrder() throws Exception {
        run(2);
    }

    @Test
    @Tag("heavy")
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void noneTwiceAndNoneOutOfOrderForALongTime() throws Exception {
        run(20);
    }

    private static void run(int rounds) throws Exception {
        try (TestServer server = TestServer.start(Map.of("max_prepared_transactions", "64", "max_connections", "200"));
                TestDatabase database = server.newDatabase()) {
            Handled.createTable(database);
            JavaProcess[] readers = new JavaProcess[3];
            try (Writers writers = Writers.start(database, WRITERS)) {
                for (int i = 0; i < readers.length; i++) {
                    readers[i] = ReaderProgram.start(database, "reader-" + i);
                }
                for (int round = 0; round < rounds; round++) {
                    awaitTraffic(database);
                    readers[round % 3].kill();
                    awaitTraffic(database);
                    readers[round % 3] = ReaderProgram.start(database, "reader-" + round % 3);
                    readers[round % 3].await("RUNNING", Duration.ofSeconds(30));
                    awaitTraffic(database);
                    restart(server, database, round);
                    awaitTraffic(database);
                }
                writers.stop();
                check(database, rounds);
            } finally {
                for (JavaProcess reader : readers) {
                    if (reader != null) {
                        reader.close();
                    }
                }
            }
        }
    }

    private static void awaitTraffic(TestDatabase database) throws SQLException {
        long byKey = Handled.count(database, BY_KEY);
        long inTotalOrder = Handled.count(database, IN_TOTAL_ORDER);
        Eventually.isTrue(
                Duration.ofSeconds(30),
                () -> Handled.count(database, BY_KEY) >= byKey + SOME
                        && Handled.count(database, IN_TOTAL_ORDER) >= inTotalOrder + SOME);
    }

    /** A prepared transaction has another name after a restart. It ends when the readers have seen that. */
    private static void restart(TestServer server, TestDatabase database, int round) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SET LOCAL baton.doorbell = 'off'");
            statement.execute("INSERT INTO baton.events (key, payload) VALUES ('over-the-restart', '{}')");
            statement.execute("PREPARE TRANSACTION 'over-the-restart'");
        }
        long handled = Handled.count(database, BY_KEY);
        Eventually.isTrue(() -> Handled.count(database, BY_KEY) > handled);
        server.postgres().stop(round % 2 == 0 ? StopMode.FAST : StopMode.IMMEDIATE);
        server.postgres().start();
        Eventually.isTrue(() -> Handled.count(database, BY_KEY) > handled + SOME);
        database.execute("COMMIT PREPARED 'over-the-restart'");
    }

    private static void check(TestDatabase database, int rounds) throws SQLException {
        Eventually.isTrue(
                Duration.ofSeconds(30),
                () -> Handled.isComplete(database, BY_KEY) && Handled.isComplete(database, IN_TOTAL_ORDER));
        Handled.Verdict byKey = Handled.verdict(database, BY_KEY, false);
        Handled.Verdict inTotalOrder = Handled.verdict(database, IN_TOTAL_ORDER, true);
        assertThat(byKey).matches(Handled.Verdict::isClean);
        assertThat(inTotalOrder).matches(Handled.Verdict::isClean);
        assertThat(byKey.committed()).isGreaterThan(4 * SOME * rounds);
        assertThat(database.one("SELECT count(*) FROM baton.events WHERE key = 'over-the-restart'"))
                .isEqualTo(String.valueOf(rounds));
    }
}
