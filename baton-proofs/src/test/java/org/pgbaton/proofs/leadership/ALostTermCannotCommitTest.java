package org.pgbaton.proofs.leadership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.pgbaton.proofs.leadership.LeaderProgram.LEASE;

import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.leadership.Leadership;
import org.pgbaton.leadership.LeadershipAttempt;
import org.pgbaton.leadership.LeadershipLostException;
import org.pgbaton.leadership.LeadershipState;
import org.pgbaton.leadership.Term;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/** Promise 4: a process that lost its leadership, even one that was frozen and wakes up, cannot commit anything for it. */
@BatonTest
class ALostTermCannotCommitTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    @Test
    void aFrozenLeaderThatWakesUpCannotCommit(TestDatabase database) throws Exception {
        LeaderProgram.createEffects(database);
        try (JavaProcess first = LeaderProgram.start(database, "first")) {
            first.await("LEADING 1", SOON);
            try (JavaProcess second = LeaderProgram.start(database, "second")) {
                second.await("STANDBY", SOON);
                first.freeze();
                second.await("LEADING 2", LEASE.plus(SOON));
                first.thaw();
                first.say("write-guarded late");
                first.say("write-with-old-token late");

                assertThat(first.await("REFUSED", SOON).text()).contains("Epoch 1");
                assertThat(first.await("FAILED YB001", SOON).text()).contains("epoch 2 leads now");
                assertThat(database.one("SELECT count(*) FROM effect")).isEqualTo("0");
            }
        }
    }

    @Test
    void withoutTheGuardTheSameWriteGetsThroughSoTheTestCanFail(TestDatabase database) throws Exception {
        LeaderProgram.createEffects(database);
        try (JavaProcess first = LeaderProgram.start(database, "first")) {
            first.await("LEADING 1", SOON);
            try (JavaProcess second = LeaderProgram.start(database, "second")) {
                second.await("STANDBY", SOON);
                first.freeze();
                second.await("LEADING 2", LEASE.plus(SOON));
                first.thaw();
                first.say("write-unguarded late");

                first.await("COMMITTED", SOON);
                assertThat(database.one("SELECT epoch FROM effect")).isEqualTo("1");
            }
        }
    }

    @Test
    void aLeaderFrozenInsideAGuardedTransactionIsRolledBackAndDoesNotBlockTheNextOne(TestDatabase database)
            throws Exception {
        LeaderProgram.createEffects(database);
        try (JavaProcess first = LeaderProgram.start(database, "first")) {
            first.await("LEADING 1", SOON);
            first.say("open zombie");
            first.await("OPEN", SOON);
            try (JavaProcess second = LeaderProgram.start(database, "second")) {
                second.await("STANDBY", SOON);
                first.freeze();
                second.await("LEADING 2", LEASE.multipliedBy(2).plus(SOON));
                second.say("write-guarded next");
                second.await("COMMITTED", SOON);
                first.thaw();
                first.say("commit");

                first.await("FAILED", SOON);
                assertThat(database.one("SELECT string_agg(value, ',') FROM effect"))
                        .isEqualTo("next");
            }
        }
    }

    @Test
    void aTransactionThatPassedTheGuardCommitsBeforeTheNextTermBegins(TestDatabase database) throws Exception {
        LeaderProgram.createEffects(database);
        try (Baton one = database.baton("one");
                Baton two = database.baton("two");
                Connection work = database.connect()) {
            Term old = one.leadership("job").lead();
            work.setAutoCommit(false);
            old.guard(work);
            work.createStatement().execute("INSERT INTO effect (value, epoch) VALUES ('in flight', 1)");

            database.terminate("baton job one");
            CompletableFuture<Term> next = inBackground(two.leadership("job"));
            old.whenOver().get(10, TimeUnit.SECONDS);
            awaitWaitingForTheEpochRow(database);
            assertThat(next).isNotDone();

            work.commit();
            Term term = next.get(10, TimeUnit.SECONDS);
            assertThat(term.epoch()).isGreaterThan(1);
            assertThat(database.one("SELECT value FROM effect")).isEqualTo("in flight");
            assertThatThrownBy(() -> old.guard(work)).isInstanceOf(LeadershipLostException.class);
        }
    }

    @Test
    void aTransactionThatStartedBeforeTheNextTermButGuardsAfterItIsRefused(TestDatabase database) throws Exception {
        try (Baton one = database.baton("one");
                Baton two = database.baton("two");
                Connection work = database.connect()) {
            Term old = one.leadership("job").lead();
            work.setAutoCommit(false);
            work.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            work.createStatement().execute("SELECT count(*) FROM baton.leadership"); // the snapshot still shows epoch 1
            old.close();
            Term next = two.leadership("job").lead();

            assertThat(next.epoch()).isGreaterThan(1);
            assertThatThrownBy(() -> guardInSql(work, 1)).hasMessageContaining("could not serialize");
        }
    }

    @Test
    void theGuardRefusesWhileTrustIsSuspended(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection work = database.connect()) {
            Leadership leadership = baton.leadership("job").lease(Duration.ofSeconds(2));
            Term term = ((LeadershipAttempt.Leading) leadership.tryLead()).leading();
            work.setAutoCommit(false);
            term.guard(work);
            work.rollback();
            // While the test holds this lock, the heartbeat waits, as if the network were cut.
            try (Connection lock = database.connect()) {
                lock.setAutoCommit(false);
                lock.createStatement().execute("LOCK TABLE baton.leadership IN ACCESS EXCLUSIVE MODE");
                while (term.state() == LeadershipState.LEADING) {
                    Thread.onSpinWait();
                }
                assertThatThrownBy(() -> term.guard(work)).isInstanceOf(LeadershipLostException.class);
                assertThat(term.isLeading()).isFalse();
            }
        }
    }

    @Test
    void theGuardWantsATransaction(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection work = database.connect()) {
            Term term = baton.leadership("job").lead();
            assertThatThrownBy(() -> term.guard(work))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("setAutoCommit(false)");
        }
    }

    private static void guardInSql(Connection connection, long epoch) throws Exception {
        connection.createStatement().execute("SELECT baton.guard('job', " + epoch + ")");
    }

    private static void awaitWaitingForTheEpochRow(TestDatabase database) {
        Eventually.isTrue(() -> database.one("""
                        SELECT count(*) FROM pg_stat_activity
                         WHERE query LIKE '%take_epoch%' AND wait_event_type = 'Lock'""").equals("1"));
    }

    private static CompletableFuture<Term> inBackground(Leadership leadership) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return leadership.lead();
            } catch (InterruptedException impossible) {
                throw new IllegalStateException(impossible);
            }
        });
    }
}
