package org.pgbaton.proofs.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.leadership.LeadershipState;
import org.pgbaton.session.Session;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/** A standby may wait for months. VACUUM works meanwhile, the server's log stays clean, and no deadlock is reported. */
class WaitingDisturbsNobodyTest {
    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.start(Map.of("deadlock_timeout", "200ms", "log_lock_waits", "on", "autovacuum", "off"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void vacuumRemovesDeadRowsWhileStandbysWait() throws Exception {
        try (TestDatabase database = server.newDatabase();
                Baton leader = database.baton("leader");
                Baton standby = database.baton("standby")) {
            database.execute("CREATE TABLE t AS SELECT n FROM generate_series(1, 3000) n");
            standBy(leader, standby);
            Eventually.isTrue(() -> !waiting(database).equals("null"));
            String session = waiting(database);
            makeDeadRows(database);
            // One slice may have begun before the update; the next one has not.
            Eventually.isTrue(() -> {
                database.execute("VACUUM t");
                return deadRows(database) == 0;
            });
            assertThat(waiting(database))
                    .as("not because it gave up and connected again")
                    .isEqualTo(session);
        }
    }

    @Test
    void aPlainWaitHoldsVacuumBackSoTheTestCanFail() throws Exception {
        try (TestDatabase database = server.newDatabase();
                Connection holder = database.connect();
                Connection waiter = database.connect()) {
            database.execute("CREATE TABLE t AS SELECT n FROM generate_series(1, 3000) n");
            holder.createStatement().execute("SELECT pg_advisory_lock(1)");
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> {
                try (Statement statement = waiter.createStatement()) {
                    statement.execute("SELECT pg_advisory_lock(1)");
                } catch (SQLException ended) {
                    throw new IllegalStateException(ended);
                }
            });
            Eventually.isTrue(() -> !database.one("SELECT count(*) FROM pg_locks WHERE NOT granted")
                    .equals("0"));
            makeDeadRows(database);
            database.execute("VACUUM t");
            Eventually.isTrue(() -> database.one("SELECT pg_stat_get_vacuum_count('t'::regclass)")
                    .equals("1"));
            assertThat(deadRows(database)).isEqualTo(3000);
            holder.createStatement().execute("SELECT pg_advisory_unlock(1)");
            waiting.join();
        }
    }

    /** The statistics may lag behind; only when they show the dead rows can they show that they are gone. */
    private static void makeDeadRows(TestDatabase database) throws SQLException {
        database.execute("UPDATE t SET n = n + 1");
        Eventually.isTrue(() -> deadRows(database) == 3000);
    }

    /** Rows that VACUUM could not remove: their versions are still in the table's pages. */
    private static long deadRows(TestDatabase database) throws SQLException {
        return Long.parseLong(database.one("SELECT pg_stat_get_dead_tuples('t'::regclass)"));
    }

    @Test
    void theServersLogStaysCleanAndNoDeadlockIsCounted() throws Exception {
        try (TestDatabase database = server.newDatabase();
                Baton leader = database.baton("leader");
                Baton standby = database.baton("standby")) {
            long before = Files.size(server.postgres().logFile());
            standBy(leader, standby);
            awaitSlices(database, 10);
            String log = Files.readString(server.postgres().logFile()).substring((int) before);
            assertThat(log).doesNotContain("ERROR", "still waiting", "deadlock", "canceling");
            assertThat(deadlocks(database)).isEqualTo("0");
        }
    }

    @Test
    void twoThatWaitForEachOtherBothGiveUpAndPostgresCountsNoDeadlock() throws Exception {
        try (TestDatabase database = server.newDatabase();
                Session one = KilledInMidStatementTest.sessionOf(database.url());
                Session two = KilledInMidStatementTest.sessionOf(database.url())) {
            assertThat(List.of(one.tryLock(1), two.tryLock(2))).containsOnly(true);
            for (int round = 0; round < 5; round++) {
                CompletableFuture<Boolean> other =
                        CompletableFuture.supplyAsync(() -> two.awaitLock(1, Duration.ofSeconds(1)));
                assertThat(one.awaitLock(2, Duration.ofSeconds(1))).isFalse();
                assertThat(other.join()).isFalse();
            }
            assertThat(deadlocks(database)).isEqualTo("0");
        }
    }

    @Test
    void aGrantThatRacesTheTimeOutNeverLeavesALockBehind() throws Exception {
        try (TestDatabase database = server.newDatabase();
                Session waiter = KilledInMidStatementTest.sessionOf(database.url());
                Connection holder = database.connect();
                Statement statement = holder.createStatement()) {
            int refused = 0;
            long aim = 4_000_000;
            for (long key = 1; key <= 400; key++) {
                long wanted = key;
                statement.execute("SELECT pg_advisory_lock(" + key + ")");
                CompletableFuture<Boolean> got =
                        CompletableFuture.supplyAsync(() -> waiter.awaitLock(wanted, Duration.ofMillis(5)));
                // Aims at the moment the slice ends on this machine: later after each grant, earlier after each
                // refusal.
                long end = System.nanoTime() + aim;
                while (System.nanoTime() < end) {
                    Thread.onSpinWait();
                }
                statement.execute("SELECT pg_advisory_unlock(" + key + ")");
                if (got.join()) {
                    aim += 100_000;
                } else {
                    refused++;
                    aim -= 100_000;
                    assertThat(database.one(
                                    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = ?::bigint::oid AND granted",
                                    key))
                            .isEqualTo("0");
                }
            }
            // Both answers must have occurred; otherwise the aim was off and the test shows nothing.
            assertThat(refused).isBetween(1, 399);
        }
    }

    /** The session that waits for the lock, also between two slices. */
    private static String waiting(TestDatabase database) throws SQLException {
        return database.one(
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%await_lock%' AND pid <> pg_backend_pid()");
    }

    private static void standBy(Baton leader, Baton standby) throws InterruptedException {
        leader.leadership("job").lead();
        CompletableFuture<Void> waits = new CompletableFuture<>();
        standby.addLeadershipListener(change -> {
            if (change.to() == LeadershipState.STANDBY) {
                waits.complete(null);
            }
        });
        standby.leadership("job").campaign(term -> {});
        waits.join();
    }

    private static void awaitSlices(TestDatabase database, int slices) throws SQLException {
        String calls = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%await_lock%' AND query_start > '%s'";
        for (int i = 0; i < slices; i++) {
            String now = database.one("SELECT clock_timestamp()::text");
            Eventually.isTrue(() -> !database.one(calls.replace("%s", now)).equals("0"));
        }
    }

    private static String deadlocks(TestDatabase database) throws SQLException {
        return database.one("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()");
    }
}
