package org.pgbaton.proofs.leadership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.leadership.Term;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** A wait for leadership goes on until it wins, even if an administrator or a setting ends its statements. */
@BatonTest
class ADisturbedWaitGoesOnTest {

    @Test
    void aRolesTransactionTimeoutDoesNotEndAWait(TestDatabase database) throws Exception {
        assumeThat(Integer.parseInt(database.one("SHOW server_version_num"))).isGreaterThanOrEqualTo(170_000);
        database.execute("ALTER DATABASE " + database.name() + " SET transaction_timeout = '300ms'");
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            Term first = one.leadership("job").lead();
            CompletableFuture<Term> next = InBackground.lead(two.leadership("job"));
            Set<String> backends = new HashSet<>();
            Eventually.isTrue(() -> {
                // Wait for a slice that lasts longer than the time-out.
                String waits = database.one("""
                        SELECT pid FROM pg_stat_activity WHERE application_name = 'baton job two' AND state = 'active'
                           AND query LIKE '%await_lock%' AND query_start < clock_timestamp() - interval '500 ms'""");
                return !waits.equals("null") && backends.add(waits);
            });
            first.close();
            assertThat(next.get(10, TimeUnit.SECONDS).epoch()).isGreaterThan(1);
            assertThat(backends).containsExactly(database.one("SELECT backend_pid FROM baton.leader_status"));
        }
    }

    @Test
    void aStandbyWhoseStatementIsCancelledGoesOnWaiting(TestDatabase database) throws Exception {
        try (Baton one = database.baton("one");
                Baton two = database.baton("two")) {
            Term first = one.leadership("job").lead();
            CompletableFuture<Term> next = InBackground.lead(two.leadership("job"));
            for (int i = 0; i < 3; i++) {
                cancel(database, "await_lock");
            }
            first.close();
            assertThat(next.get(10, TimeUnit.SECONDS).epoch()).isGreaterThan(1);
        }
    }

    @Test
    void oneThatWaitsForAGuardedTransactionGoesOnWaitingWhenItsStatementIsCancelled(TestDatabase database)
            throws Exception {
        try (Baton one = database.baton("one");
                Baton two = database.baton("two");
                Connection work = database.connect()) {
            work.setAutoCommit(false);
            one.leadership("job").lead().guard(work);
            cutOff(database, "one");
            CompletableFuture<Term> next = InBackground.lead(two.leadership("job"));
            for (int i = 0; i < 3; i++) {
                cancel(database, "take_epoch");
            }
            work.commit();
            assertThat(next.get(10, TimeUnit.SECONDS).epoch()).isGreaterThan(1);
        }
    }

    /** Cancels a statement of the candidate that waits in this function. */
    private static void cancel(TestDatabase database, String function) {
        Eventually.isTrue(() -> database.one("""
                        SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity
                         WHERE application_name = 'baton job two' AND query LIKE ? AND wait_event_type = 'Lock'""", "%" + function + "%").equals("1"));
    }

    /** Ends the session as a broken network would: the lock is free, but the epoch was not released. */
    private static void cutOff(TestDatabase database, String who) throws SQLException {
        assertThat(database.terminate("baton job " + who)).isEqualTo(1);
        Eventually.isTrue(
                () -> database.one("SELECT state FROM baton.leader_status").equals("vacant"));
    }
}
