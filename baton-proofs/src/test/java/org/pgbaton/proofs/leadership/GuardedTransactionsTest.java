package org.pgbaton.proofs.leadership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.database.SchemaName;
import org.pgbaton.leadership.Candidate;
import org.pgbaton.leadership.Leadership;
import org.pgbaton.leadership.LeadershipAttempt;
import org.pgbaton.leadership.LeadershipState;
import org.pgbaton.leadership.Term;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.postgresql.PGConnection;

/** Guarded transactions and the next leader: who waits for whom, for how long, and which limits cannot be evaded. */
@BatonTest
class GuardedTransactionsTest {
    private static final Duration LEASE = Duration.ofSeconds(2);

    @Test
    void aStreamOfShortGuardedTransactionsDoesNotKeepTheNextLeaderOut(TestDatabase database) throws Exception {
        AtomicBoolean enough = new AtomicBoolean();
        AtomicInteger passed = new AtomicInteger();
        ExecutorService workers = Executors.newFixedThreadPool(4);
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            one.leadership("job").lead();
            List<Future<String>> refusals = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                double offset = i * 0.06;
                refusals.add(workers.submit(() -> workUntilRefused(database, offset, passed, enough)));
            }
            Eventually.isTrue(() -> passed.get() >= 8);
            cutOff(database, "one"); // without a release, so that only the next epoch ends this one
            Term next = InBackground.lead(two.leadership("job")).get(6, TimeUnit.SECONDS);
            assertThat(next.epoch()).isGreaterThan(1);
            for (Future<String> refusal : refusals) {
                assertThat(refusal.get(10, TimeUnit.SECONDS)).contains("epoch 2 leads now");
            }
        } finally {
            enough.set(true);
            workers.shutdown();
        }
    }

    /** Four of these, a quarter of a second each, and some of them always hold the row. */
    private static String workUntilRefused(
            TestDatabase database, double offset, AtomicInteger passed, AtomicBoolean enough) throws SQLException {
        try (Connection work = database.connect();
                Statement statement = work.createStatement()) {
            statement.execute("SELECT pg_sleep(" + offset + ")");
            work.setAutoCommit(false);
            while (!enough.get()) {
                guardInSql(work, 1);
                passed.incrementAndGet();
                statement.execute("SELECT pg_sleep(0.25)");
                work.commit();
            }
            return "never";
        } catch (SQLException refused) {
            return refused.getMessage();
        }
    }

    @Test
    void aGuardedTransactionThatIsNotIdleIsNamedByWhoeverWaitsForIt(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE sink (line text)");
        try (Baton one = database.baton("one");
                Baton two = database.baton("two");
                Connection work = database.connect()) {
            Term first = one.leadership("job").lease(LEASE).lead();
            PGConnection copying = work.unwrap(PGConnection.class);
            work.setAutoCommit(false);
            first.guard(work);
            copying.getCopyAPI().copyIn("COPY sink FROM STDIN"); // and nothing ever comes
            cutOff(database, "one");
            Candidate next = two.leadership("job").lease(LEASE).campaign(term -> {});
            Eventually.isTrue(() -> !next.health().isHealthy());
            assertThat(next.state()).isEqualTo(LeadershipState.STANDBY);
            assertThat(next.health().problem())
                    .contains("backend " + copying.getBackendPID())
                    .contains("pg_terminate_backend");
            assertThat(two.health().isHealthy()).isFalse();
            database.one("SELECT pg_terminate_backend(?)", copying.getBackendPID());
            Eventually.isTrue(() -> next.state() == LeadershipState.LEADING);
            assertThat(next.health().isHealthy()).isTrue();
        }
    }

    @Test
    void aGuardedTransactionThatIsPreparedIsNamedByWhoeverWaitsForIt(TestDatabase database) throws Exception {
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            Term first = one.leadership("job").lease(LEASE).lead();
            try (Connection work = database.connect();
                    Statement statement = work.createStatement()) {
                work.setAutoCommit(false);
                first.guard(work);
                statement.execute("PREPARE TRANSACTION 'guarded'");
            }
            Candidate next;
            try {
                first.close();
                next = two.leadership("job").lease(LEASE).campaign(term -> {});
                Eventually.isTrue(() -> !next.health().isHealthy());
                assertThat(next.health().problem()).contains("a prepared transaction", "ROLLBACK PREPARED");
            } finally {
                database.execute("ROLLBACK PREPARED 'guarded'");
            }
            Eventually.isTrue(() -> next.state() == LeadershipState.LEADING);
            assertThat(next.health().isHealthy()).isTrue();
        }
    }

    @Test
    void aBidKeepsItsDeadlineWhileAGuardedTransactionIsOpen(TestDatabase database) throws Exception {
        try (Baton one = database.baton("one");
                Baton two = database.baton("two");
                Connection work = database.connect()) {
            work.setAutoCommit(false);
            one.leadership("job").lead().guard(work);
            cutOff(database, "one");
            Leadership job = two.leadership("job");
            assertThat(timeUntilHeld(job::tryLead)).isLessThan(Duration.ofSeconds(5));
            assertThat(timeUntilHeld(() -> job.lead(Duration.ofMillis(1500))))
                    .isBetween(Duration.ofMillis(1500), Duration.ofSeconds(8));
            work.commit();
            assertThat(job.tryLead()).isInstanceOf(LeadershipAttempt.Leading.class);
        }
    }

    private static Duration timeUntilHeld(Callable<LeadershipAttempt> bid) throws Exception {
        long start = System.nanoTime();
        assertThat(bid.call()).isInstanceOf(LeadershipAttempt.Held.class);
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Test
    void noLeaseLetsAFrozenTransactionLiveLongerThanADay(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection work = database.connect()) {
            baton.leadership("job").lead();
            work.setAutoCommit(false);
            for (String lease : List.of("NULL", "'0'", "'0.1 ms'", "'-5 s'", "'-1 month'", "'1 month'", "'10 s'")) {
                assertThat(idleLimit(work, "0", lease)).as(lease).isBetween(1000L, 86_400_000L);
                assertThat(idleLimit(work, "20d", lease)).as(lease).isBetween(1000L, 86_400_000L);
                assertThat(idleLimit(work, "500ms", lease)).as(lease).isEqualTo(500);
            }
            assertThat(idleLimit(work, "0", "'-5 s'")).isEqualTo(1000);
            assertThat(idleLimit(work, "0", "NULL")).isEqualTo(10_000);
            assertThat(idleLimit(work, "20d", "'1 month'")).isEqualTo(86_400_000);
            assertThat(idleLimit(work, "3s", "'10 s'")).isEqualTo(3000);
        }
    }

    /** In milliseconds, as the guard leaves it. */
    private static long idleLimit(Connection work, String before, String lease) throws SQLException {
        try (Statement statement = work.createStatement()) {
            statement.execute("SET LOCAL idle_in_transaction_session_timeout = '" + before + "'");
            statement.execute("SELECT baton.guard('job', 1, " + lease + ")");
            try (ResultSet row = statement.executeQuery(
                    "SELECT setting::bigint FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout'")) {
                row.next();
                return row.getLong(1);
            }
        } finally {
            work.rollback();
        }
    }

    @Test
    void aReleasedEpochIsRefusedAlsoBeforeAnybodyElseLeads(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection work = database.connect()) {
            baton.leadership("job").lead().close();
            work.setAutoCommit(false);
            assertThatThrownBy(() -> guardInSql(work, 1))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            refused -> assertThat(refused.getSQLState()).isEqualTo("YB001"))
                    .hasMessageContaining("it was released");
        }
    }

    @Test
    void nobodyCanMakeAnEpochStartAgainOrGoBack(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            Term term = baton.leadership("job").lead();
            for (String attempt : List.of(
                    "DELETE FROM baton.leadership",
                    "TRUNCATE baton.leadership",
                    "UPDATE baton.leadership SET epoch = epoch - 1")) {
                assertThatThrownBy(() -> database.execute(attempt))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                refused -> assertThat(refused.getSQLState()).isEqualTo("YB002"));
            }
            assertThat(database.one("SELECT epoch FROM baton.leadership")).isEqualTo("1");
            assertThat(term.isLeading()).isTrue();
        }
    }

    @Test
    void theGuardPassesWhereTheOwnerMayReadTheTimelineAndTheWorkerMayNot(TestDatabase database) throws Exception {
        assertThat(timelineWhereOnly("baton_owner", database)).matches("\\d+/[0-9A-F]{8}");
    }

    @Test
    void theGuardPassesWhereTheWorkerMayReadTheTimelineAndTheOwnerMayNot(TestDatabase database) throws Exception {
        assertThat(timelineWhereOnly("baton_worker", database)).isEqualTo("unknown");
    }

    /** A worker leads; the worker and a superuser call the guard. */
    private static String timelineWhereOnly(String role, TestDatabase database) throws Exception {
        database.execute(Baton.rolesScript(SchemaName.DEFAULT));
        database.execute("CREATE ROLE guarding LOGIN IN ROLE baton_worker; "
                + "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC; "
                + "GRANT EXECUTE ON FUNCTION pg_control_system() TO " + role);
        String url = database.urlFor("guarding");
        try (Baton worker = Baton.open(url);
                Connection own = DatabaseUrl.parse(url).connector().connect();
                Connection superusers = database.connect()) {
            Term term = worker.leadership("job").lead();
            for (Connection each : List.of(own, superusers)) {
                each.setAutoCommit(false);
                term.guard(each);
                each.commit();
            }
            return database.one("SELECT timeline FROM baton.leadership");
        } finally {
            database.execute("DROP OWNED BY guarding; DROP ROLE guarding");
        }
    }

    @Test
    void biddingForAKnownNameUsesNoNumbersUp(TestDatabase database) throws Exception {
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            one.leadership("job").lead();
            String number = "SELECT last_value FROM baton.leadership_id_seq";
            String before = database.one(number);
            for (int i = 0; i < 10; i++) {
                assertThat(two.leadership("job").tryLead()).isInstanceOf(LeadershipAttempt.Held.class);
            }
            assertThat(database.one(number)).isEqualTo(before);
        }
    }

    /** Ends the session as a broken network would: the lock is free, but the epoch was not released. */
    private static void cutOff(TestDatabase database, String who) throws SQLException {
        assertThat(database.terminate("baton job " + who)).isEqualTo(1);
        Eventually.isTrue(
                () -> database.one("SELECT state FROM baton.leader_status").equals("vacant"));
    }

    private static void guardInSql(Connection connection, long epoch) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT baton.guard('job', " + epoch + ")");
        }
    }
}
