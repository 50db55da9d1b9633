package org.pgbaton.proofs.leadership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.Baton;
import org.pgbaton.database.Connector;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.database.Fault;
import org.pgbaton.leadership.Candidate;
import org.pgbaton.leadership.LeadershipChange;
import org.pgbaton.leadership.LeadershipState;
import org.pgbaton.leadership.Term;
import org.pgbaton.schema.Migration;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** How candidates, leaders and their owners see connections that break, hang, or cannot be opened for a while. */
@BatonTest
class ConnectionTroubleTest {
    @Test
    void aStandbyWhoseSessionWasCutIsHealthyAgainOnceItIsBackInTheQueue(TestDatabase database) throws Exception {
        Gate gate = new Gate(database);
        try (Baton one = database.baton("one");
                Baton two = gate.baton("two")) {
            one.leadership("job").lead();
            two.leadership("job").campaign(term -> {});
            awaitStandby(one, "baton job two");
            gate.shut();
            assertThat(database.terminate("baton job two")).isEqualTo(1);
            Eventually.isTrue(() -> !two.health().isHealthy());
            assertThat(one.leaderStatus().get(0).standbys()).isEmpty();
            gate.open();
            awaitStandby(one, "baton job two");
            Eventually.isTrue(() -> two.health().isHealthy());
            assertThat(two.health().leaderships()).singleElement().satisfies(each -> {
                assertThat(each.state()).isEqualTo(LeadershipState.STANDBY);
                assertThat(each.problem()).isNull();
            });
        }
    }

    @Test
    void aCandidateOutlivesAConnectorThatThrowsWhatItLikes(TestDatabase database) throws Exception {
        Gate gate = new Gate(database);
        try (Baton baton = gate.baton("me")) {
            gate.shut();
            Candidate candidate =
                    baton.leadership("job").lease(Duration.ofSeconds(2)).campaign(term -> {});
            Eventually.isTrue(() -> problemOf(baton).contains("the vault is sealed"));
            gate.open();
            Eventually.isTrue(() -> candidate.state() == LeadershipState.LEADING);
            assertThat(baton.health().isHealthy()).isTrue();

            gate.shut();
            database.terminate("baton job me");
            Eventually.isTrue(() -> problemOf(baton).contains("the vault is sealed"));
            gate.open();
            Eventually.isTrue(() -> candidate.state() == LeadershipState.LEADING);
            assertThat(candidate.term().epoch()).isGreaterThan(1);
            assertThat(baton.health().isHealthy()).isTrue();
        }
    }

    @Test
    void aStandbyOutlivesAPasswordFileThatIsMissingForAWhile(TestDatabase database, @TempDir Path folder)
            throws Exception {
        Path file = Files.writeString(folder.resolve("password"), "first\n");
        DatabaseUrl url = DatabaseUrl.parse(database.url()).passwordFile(file);
        try (Baton one = database.baton("one");
                Baton two = Baton.builder(url).who("two").open()) {
            Term first = one.leadership("job").lead();
            Candidate candidate = two.leadership("job").campaign(term -> {});
            awaitStandby(one, "baton job two");
            Files.delete(file);
            database.terminate("baton job two");
            Eventually.isTrue(() -> problemOf(two).contains("password file " + file));
            Files.writeString(file, "second\n");
            awaitStandby(one, "baton job two");
            first.close();
            Eventually.isTrue(() -> candidate.state() == LeadershipState.LEADING);
            assertThat(two.health().isHealthy()).isTrue();
        }
    }

    @Test
    void aCandidatesOwnHealthShowsThatItsSessionIsGone(TestDatabase database) throws Exception {
        Gate gate = new Gate(database);
        try (Baton one = database.baton("one");
                Baton two = gate.baton("two")) {
            one.leadership("job").lead();
            Candidate candidate = two.leadership("job").campaign(term -> {});
            awaitStandby(one, "baton job two");
            gate.shut();
            database.terminate("baton job two");
            Eventually.isTrue(() -> String.valueOf(candidate.health().problem()).contains("the vault is sealed"));
            assertThat(two.health().isHealthy()).isFalse();
        }
    }

    @Test
    void aLeaderThatLostItsSessionIsTroubledAsLongAsItTakesToConnectAgain(TestDatabase database) throws Exception {
        Gate gate = new Gate(database);
        try (Baton baton = gate.baton("me")) {
            Candidate candidate = baton.leadership("job").campaign(term -> {});
            Eventually.isTrue(() -> candidate.state() == LeadershipState.LEADING);
            try (Gate.Wait wait = gate.makeWait()) {
                database.terminate("baton job me");
                wait.awaitSomebody();
                assertThat(candidate.state()).isEqualTo(LeadershipState.STANDBY);
                assertThat(candidate.health().problem()).contains("lost");
                assertThat(baton.health().isHealthy()).isFalse();
            }
            Eventually.isTrue(() -> candidate.state() == LeadershipState.LEADING);
            assertThat(baton.health().isHealthy()).isTrue();
        }
    }

    @Test
    void aLeaderWhoseDutyGoesOnAfterItsSessionWasLostIsTroubled(TestDatabase database) throws Exception {
        CountDownLatch enough = new CountDownLatch(1);
        try (Baton baton = database.baton("me")) {
            Candidate candidate = baton.leadership("job").campaign(term -> awaitUninterruptibly(enough));
            Eventually.isTrue(() -> candidate.state() == LeadershipState.LEADING);
            database.terminate("baton job me");
            Eventually.isTrue(() -> candidate.state() == LeadershipState.LOST);
            Eventually.isTrue(() -> database.one(
                            "SELECT count(*) FROM pg_stat_activity WHERE application_name = ?"
                                    + " AND datname = current_database()",
                            "baton job me")
                    .equals("0"));
            assertThat(baton.health().isHealthy()).isFalse();
            enough.countDown();
            Eventually.isTrue(() -> candidate.state() == LeadershipState.LEADING);
            assertThat(baton.health().isHealthy()).isTrue();
        } finally {
            enough.countDown();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException told) {
                // A duty that ignores interrupts.
            }
        }
    }

    @Test
    void aCandidatesOwnHealthForgetsAFailureOnceItStandsBy(TestDatabase database) throws Exception {
        Gate gate = new Gate(database);
        try (Baton one = database.baton("one");
                Baton two = gate.baton("two")) {
            one.leadership("job").lead();
            gate.shut();
            Candidate candidate = two.leadership("job").campaign(term -> {});
            Eventually.isTrue(() -> !candidate.health().isHealthy());
            gate.open();
            awaitStandby(one, "baton job two");
            Eventually.isTrue(() -> candidate.health().isHealthy());
            assertThat(candidate.state()).isEqualTo(LeadershipState.STANDBY);
        }
    }

    @Test
    void healthShowsTheLastFailureWhileTheNextTryIsUnderWay(TestDatabase database) throws Exception {
        CountDownLatch second = new CountDownLatch(2);
        CountDownLatch answer = new CountDownLatch(1);
        Connector slow = () -> {
            second.countDown();
            if (second.getCount() > 0) {
                throw new SQLException("not now", "08001");
            }
            try {
                answer.await();
            } catch (InterruptedException closing) {
                throw new SQLException("not any more", "08001", closing);
            }
            return database.connect();
        };
        try (Baton baton = Baton.builder(database.dataSource(), slow).open()) {
            Candidate candidate = baton.leadership("job").campaign(term -> {});
            second.await();
            assertThat(problemOf(baton)).contains("not now");
            answer.countDown();
            Eventually.isTrue(() -> candidate.state() == LeadershipState.LEADING);
            assertThat(baton.health().isHealthy()).isTrue();
        }
    }

    @Test
    void eightThatMigrateAtOnceAllSucceedAlsoWhereTransactionsSeeAnOlderSnapshot(TestDatabase database)
            throws Exception {
        database.execute(
                "ALTER DATABASE " + database.name() + " SET default_transaction_isolation = 'repeatable read'");
        Baton.Builder fresh = Baton.builder(database.url()).schema("fresh");
        ExecutorService processes = Executors.newFixedThreadPool(8);
        try (Connection blocker = database.connect();
                Statement statement = blocker.createStatement()) {
            // The first process waits for this transaction, and the others wait for the first.
            blocker.setAutoCommit(false);
            statement.execute("CREATE SCHEMA fresh");
            List<Future<List<Migration>>> applied = new CopyOnWriteArrayList<>();
            for (int i = 0; i < 8; i++) {
                applied.add(processes.submit(() -> fresh.migrations().migrate()));
            }
            Eventually.isTrue(() -> database.one(
                            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
                    .equals("8"));
            blocker.rollback();
            Set<List<Migration>> answers = new HashSet<>();
            int worked = 0;
            for (Future<List<Migration>> each : applied) {
                List<Migration> steps = each.get(20, TimeUnit.SECONDS);
                answers.add(steps);
                worked += steps.isEmpty() ? 0 : 1;
            }
            assertThat(answers).containsExactlyInAnyOrder(List.of(), Migration.all());
            assertThat(worked).isEqualTo(1);
            fresh.migrations().require();
        } finally {
            processes.shutdownNow();
        }
    }

    @Test
    void aStandbyWithAShortLeaseKeepsItsSessionWhateverTheDeadlockTimeout(TestDatabase database) throws Exception {
        database.execute("ALTER DATABASE " + database.name() + " SET deadlock_timeout = '5s'");
        Duration lease = Duration.ofSeconds(2);
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            Term first = one.leadership("job").lease(lease).lead();
            Candidate candidate = two.leadership("job").lease(lease).campaign(term -> {});
            awaitStandby(one, "baton job two");
            Set<String> backends = new HashSet<>();
            Set<String> slices = new HashSet<>();
            Eventually.isTrue(() -> {
                String seen = database.one("""
                        SELECT pid || ' ' || query_start FROM pg_stat_activity
                         WHERE application_name = 'baton job two' AND query LIKE '%await_lock%'""");
                if (!seen.equals("null")) {
                    backends.add(seen.substring(0, seen.indexOf(' ')));
                    slices.add(seen);
                }
                return slices.size() > 4;
            });
            assertThat(backends).hasSize(1);
            assertThat(two.health().isHealthy()).isTrue();
            first.close();
            Eventually.isTrue(() -> candidate.state() == LeadershipState.LEADING);
            assertThat(backends).containsExactly(backendOf(database, "job"));
        }
    }

    @Test
    void aLeaderWhoseBackendStopsAnsweringIsSuspendedBeforeItIsLost(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("me")) {
            List<LeadershipChange> changes = new CopyOnWriteArrayList<>();
            baton.addLeadershipListener(changes::add);
            // Tests both cases: from six seconds on, half a lease is too short for an answer; below six seconds it is
            // not.
            Term four = baton.leadership("four").lease(Duration.ofSeconds(4)).lead();
            Term eight = baton.leadership("eight").lease(Duration.ofSeconds(8)).lead();
            try (StoppedBackend ofFour = StoppedBackend.stop(backendOf(database, "four"));
                    StoppedBackend ofEight = StoppedBackend.stop(backendOf(database, "eight"))) {
                assertThat(four.whenOver().get(20, TimeUnit.SECONDS)).contains("no answer from the database");
                ofFour.resume();
                assertThat(eight.whenOver().get(20, TimeUnit.SECONDS)).contains("no answer from the database");
                ofEight.resume();
            }
            Eventually.isTrue(() -> statesOf("four", changes).contains(LeadershipState.LOST)
                    && statesOf("eight", changes).contains(LeadershipState.LOST));
            assertThat(statesOf("four", changes))
                    .containsExactly(LeadershipState.LEADING, LeadershipState.SUSPENDED, LeadershipState.LOST);
            assertThat(statesOf("eight", changes))
                    .containsExactly(LeadershipState.LEADING, LeadershipState.SUSPENDED, LeadershipState.LOST);
        }
    }

    @Test
    void aLeaderWhoseBackendAnswersAgainInTimeGoesOnLeading(TestDatabase database) throws Exception {
        try (Baton baton = database.baton("me")) {
            BlockingQueue<LeadershipState> told = new LinkedBlockingQueue<>();
            Term term = baton.leadership("job").lease(Duration.ofSeconds(8)).lead();
            String backend = backendOf(database, "job");
            try (StoppedBackend stopped = StoppedBackend.stop(backend)) {
                baton.addLeadershipListener(change -> {
                    if (change.to() == LeadershipState.SUSPENDED) {
                        stopped.resume();
                    }
                    told.add(change.to());
                });
                assertThat(told.poll(20, TimeUnit.SECONDS)).isEqualTo(LeadershipState.SUSPENDED);
                assertThat(told.poll(20, TimeUnit.SECONDS)).isEqualTo(LeadershipState.LEADING);
            }
            assertThat(term.isLeading()).isTrue();
            assertThat(backendOf(database, "job")).isEqualTo(backend);
            try (Connection connection = database.connect()) {
                connection.setAutoCommit(false);
                term.guard(connection);
                connection.commit();
            }
        }
    }

    @Test
    void aClosedBatonRefusesToBid(TestDatabase database) {
        Baton baton = database.baton("me");
        baton.close();
        String sentence = "This Baton is closed: open another one.";
        assertThatIllegalStateException()
                .isThrownBy(() -> baton.leadership("job").lead())
                .withMessage(sentence);
        assertThatIllegalStateException()
                .isThrownBy(() -> baton.leadership("job").tryLead())
                .withMessage(sentence);
        assertThatIllegalStateException()
                .isThrownBy(() -> baton.leadership("job").campaign(term -> {}))
                .withMessage(sentence);
        assertThat(baton.health().leaderships()).isEmpty();
        baton.close();
    }

    @Test
    void closingEndsABidThatStandsBy(TestDatabase database) throws Exception {
        Baton two = database.baton("two");
        try (Baton one = database.baton("one")) {
            one.leadership("job").lead();
            CompletableFuture<Throwable> ended = bidOf(two);
            awaitStandby(one, "baton job two");
            two.close();
            assertThat(ended.get(5, TimeUnit.SECONDS))
                    .isInstanceOf(InterruptedException.class)
                    .hasMessage("Baton is closed");
            Eventually.isTrue(() -> one.leaderStatus().get(0).standbys().isEmpty());
        }
    }

    @Test
    void closingEndsABidThatStillWaitsForTheServersFirstWord(TestDatabase database) throws Exception {
        try (ServerSocket silent = silentServer()) {
            CountDownLatch connecting = new CountDownLatch(1);
            Baton baton = Baton.builder(database.dataSource(), () -> {
                        connecting.countDown();
                        return DriverManager.getConnection(urlOf(silent));
                    })
                    .open();
            CompletableFuture<Throwable> ended = bidOf(baton);
            connecting.await();
            baton.close();
            assertThat(ended.get(5, TimeUnit.SECONDS))
                    .isInstanceOf(InterruptedException.class)
                    .hasMessage("Baton is closed");
        }
    }

    @Test
    @Tag("heavy")
    void openingGivesUpOnAServerThatAcceptsAndSaysNothing(TestDatabase unused) throws Exception {
        try (ServerSocket silent = silentServer()) {
            CompletableFuture<Throwable> ended = new CompletableFuture<>();
            Thread opening = new Thread(() -> {
                try (Baton impossible = Baton.open(urlOf(silent))) {
                    ended.complete(new AssertionError("opened " + impossible.who()));
                } catch (RuntimeException expected) {
                    ended.complete(expected);
                }
            });
            opening.start();
            assertThat(ended.get(20, TimeUnit.SECONDS))
                    .isInstanceOfSatisfying(
                            DatabaseException.class,
                            failure -> assertThat(failure.fault()).isEqualTo(Fault.OUTAGE))
                    .hasMessageStartingWith("Cannot connect to the database: ")
                    .hasMessageEndingWith("Check that the server runs and that host and port are right.");
        }
    }

    /** A connector of the application's own that cannot get its secret while the gate is shut. */
    private static final class Gate implements Connector {
        private final TestDatabase database;
        private volatile boolean shut;
        private volatile Wait wait;

        Gate(TestDatabase database) {
            this.database = database;
        }

        Baton baton(String who) {
            return Baton.builder(database.dataSource(), this).who(who).open();
        }

        void shut() {
            shut = true;
        }

        void open() {
            shut = false;
        }

        /** New connections wait until this is closed. */
        Wait makeWait() {
            wait = new Wait();
            return wait;
        }

        static final class Wait implements AutoCloseable {
            private final CountDownLatch somebody = new CountDownLatch(1);
            private final CountDownLatch over = new CountDownLatch(1);

            void awaitSomebody() throws InterruptedException {
                assertThat(somebody.await(30, TimeUnit.SECONDS)).isTrue();
            }

            private void pass() throws SQLException {
                somebody.countDown();
                try {
                    over.await();
                } catch (InterruptedException told) {
                    throw new SQLException(told);
                }
            }

            @Override
            public void close() {
                over.countDown();
            }
        }

        @Override
        public Connection connect() throws SQLException {
            if (shut) {
                throw new UnsupportedOperationException("the vault is sealed");
            }
            Wait now = wait;
            if (now != null) {
                now.pass();
            }
            return database.connect();
        }
    }

    /**
     * A process of the server that is stopped while its kernel goes on answering. It is resumed at the latest when this
     * is closed.
     */
    private static final class StoppedBackend implements AutoCloseable {
        /**
         * Started before it is needed, because there is only a quarter of a second to resume. It also resumes the
         * process if this JVM dies.
         */
        private final Process resumes;

        private StoppedBackend(Process resumes) {
            this.resumes = resumes;
        }

        static StoppedBackend stop(String backend) throws IOException, InterruptedException {
            Process resumes = new ProcessBuilder(
                            "sh", "-c", "kill -STOP $0 && echo stopped; read word; kill -CONT $0", backend)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            assertThat(resumes.inputReader().readLine()).isEqualTo("stopped");
            return new StoppedBackend(resumes);
        }

        void resume() {
            try {
                resumes.getOutputStream().close();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        @Override
        public void close() {
            resume();
            resumes.onExit().join();
        }
    }

    private static CompletableFuture<Throwable> bidOf(Baton baton) {
        CompletableFuture<Throwable> ended = new CompletableFuture<>();
        Thread bidder = new Thread(() -> {
            try {
                ended.complete(
                        new AssertionError("won " + baton.leadership("job").lead()));
            } catch (InterruptedException | RuntimeException failure) {
                ended.complete(failure);
            }
        });
        bidder.setDaemon(true);
        bidder.start();
        return ended;
    }

    /** The kernel accepts connections; nobody reads or writes. */
    private static ServerSocket silentServer() throws IOException {
        return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    private static String urlOf(ServerSocket server) {
        return "jdbc:postgresql://127.0.0.1:" + server.getLocalPort() + "/shop?user=app";
    }

    private static void awaitStandby(Baton observer, String name) {
        Eventually.isTrue(() -> observer.leaderStatus().get(0).standbys().contains(name));
    }

    private static String problemOf(Baton baton) {
        return baton.health().leaderships().stream()
                .map(each -> String.valueOf(each.problem()))
                .findFirst()
                .orElse("");
    }

    private static String backendOf(TestDatabase database, String leadership) throws SQLException {
        return database.one("SELECT backend_pid FROM baton.leader_status WHERE name = ?", leadership);
    }

    private static List<LeadershipState> statesOf(String leadership, List<LeadershipChange> changes) {
        return changes.stream()
                .filter(each -> each.leadership().equals(leadership))
                .map(LeadershipChange::to)
                .toList();
    }
}
