package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.pgbaton.frontier.Frontier;
import org.pgbaton.proofs.subscription.WrongReader.Mistake;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/** The twin of {@link NothingCommittedIsLostTest}: the same writers and the same checker, and readers that make a mistake. */
class TheCheckerFindsMistakesTest {
    private static final int WRITERS = 12;
    private static final long ENOUGH = 1500;

    private static TestServer server;
    private static final Map<Mistake, Handled.Verdict> verdicts = new EnumMap<>(Mistake.class);

    @BeforeAll
    static void letThemAllReadTheSame() throws Exception {
        server = TestServer.start(Map.of("max_prepared_transactions", "64"));
        try (TestDatabase database = server.newDatabase()) {
            Handled.createTable(database);
            List<WrongReader> readers = new ArrayList<>();
            try (Writers writers = Writers.start(database, WRITERS)) {
                for (Mistake mistake : Mistake.values()) {
                    readers.add(WrongReader.start(database, mistake));
                }
                Eventually.isTrue(Duration.ofSeconds(60), () -> writers.transactions() > ENOUGH);
                writers.stop();
                Eventually.isTrue(() -> Handled.isComplete(database, Mistake.NONE.name()));
                for (Mistake mistake : Mistake.values()) {
                    Eventually.isTrue(() -> hasReachedTheEnd(database, mistake));
                }
            }
            for (WrongReader reader : readers) {
                reader.stop();
            }
            for (Mistake mistake : Mistake.values()) {
                verdicts.put(mistake, Handled.verdict(database, mistake.name(), false));
            }
        }
    }

    private static boolean hasReachedTheEnd(TestDatabase database, Mistake mistake) throws SQLException {
        return database.one("""
                SELECT EXISTS (SELECT FROM public.handled WHERE subscription = ?
                   AND position = (SELECT max(position) FROM baton.events))""", mistake.name()).equals("t");
    }

    @AfterAll
    static void stopTheServer() {
        server.close();
    }

    @Test
    void noneInAReaderThatMakesNone() {
        assertThat(verdicts.get(Mistake.NONE)).matches(Handled.Verdict::isClean);
    }

    @Test
    void rowsLostByAReaderOfEverythingAboveItsCheckpoint() {
        assertThat(verdicts.get(Mistake.NAIVE).lost()).isPositive();
    }

    @Test
    void rowsOutOfOrderByAReaderThatGoesByTransaction() {
        assertThat(verdicts.get(Mistake.XMIN).outOfOrder()).isPositive();
    }

    @Test
    void rowsLostByAReaderThatGivesNewWritersTheEndOfTheSameLook() {
        assertThat(verdicts.get(Mistake.FLOOR_OF_THIS_LOOK).lost()).isPositive();
    }

    @Test
    void aRowLostByAReaderThatRemembersItsLastLookOverARestart() throws Exception {
        try (TestDatabase database = server.newDatabase()) {
            Frontier remembering = new Frontier(16);
            Frontier forgetful = new Frontier(16);
            try (Connection connection = database.connect();
                    Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                statement.execute("SET LOCAL baton.doorbell = 'off'");
                statement.execute("INSERT INTO baton.events (key, payload) VALUES ('k', '{}')");
                statement.execute("PREPARE TRANSACTION 'over-the-restart'");
                look(connection, remembering);
                assertThat(look(connection, forgetful)).contains(0L);
            }
            server.postgres().restart();
            forgetful.forget();
            try (Connection connection = database.connect()) {
                long open = WrongReader.end(connection);
                assertThat(look(connection, remembering)).containsOnly(open);
                assertThat(look(connection, forgetful)).contains(0L);
                try (Statement statement = connection.createStatement()) {
                    statement.execute("ROLLBACK PREPARED 'over-the-restart'");
                }
            }
        }
    }

    private static long[] look(Connection connection, Frontier frontier) throws Exception {
        long end = WrongReader.end(connection);
        return frontier.advance(end, WrongReader.writers(connection));
    }
}
