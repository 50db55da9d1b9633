package org.pgbaton.proofs.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.Baton;
import org.pgbaton.capture.Capture;
import org.pgbaton.embedded.PostgresServer;
import org.pgbaton.embedded.StopMode;
import org.pgbaton.testkit.Signals;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/**
 * The primary dies and a standby, which keeps a copy of the slot, is promoted: the capture goes on there, and its log gets each change that
 * the new primary has, once. From PostgreSQL 17 on.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class FailoverSlotsTest {
    private static final String STANDBY = "standby";
    private static final String BLOCKED =
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%%%s%%'";

    @TempDir
    private Path folder;

    @Test
    @Tag("heavy")
    void theCaptureGoesOnAfterAPromotion() throws Exception {
        try (Pair pair = Pair.start(folder);
                Baton baton = Baton.open(pair.url())) {
            Capture capture =
                    baton.capture("changes").table("public.alert").key("k").start();
            CapturedLog.awaitRunning(pair.database, "changes");
            try (Alerts writers = Alerts.start(pair.database, 2)) {
                pair.awaitSlot();
                long then = writers.changes();
                pair.await(() -> Long.parseLong(pair.onStandby("SELECT count(*) FROM baton.changes")) > then + 500);
                pair.copySlots();
                pair.primary().stop(StopMode.IMMEDIATE);
            }
            pair.standby.promote();
            pair.execute("INSERT INTO alert (k) VALUES ('later')");
            pair.await(() -> pair.onStandby("SELECT count(*) FROM baton.changes WHERE key = 'later'")
                    .equals("1"));
            assertThat(capture.health().problem()).isNull();

            String wanted = "SELECT id, g AS touched FROM alert, generate_series(0, touched) g";
            String found =
                    "SELECT (payload -> 'after' ->> 'id')::bigint AS id, (payload -> 'after' ->> 'touched')::integer AS touched, "
                            + "position FROM baton.changes";
            assertThat(pair.onStandby("SELECT count(*) FROM (" + wanted + ") w"))
                    .as("each once")
                    .isEqualTo(pair.onStandby("SELECT count(*) FROM baton.changes"));
            assertThat(pair.onStandby("SELECT count(*) FROM (" + wanted + " EXCEPT SELECT id, touched FROM (" + found
                            + ") f) missing"))
                    .as("lost")
                    .isEqualTo("0");
            assertThat(pair.onStandby("SELECT count(*) FROM (SELECT touched <> coalesce(lag(touched) "
                            + "OVER (PARTITION BY id ORDER BY position) + 1, 0) AS wrong FROM (" + found
                            + ") f) g WHERE wrong"))
                    .as("changes of a row out of order")
                    .isEqualTo("0");
        }
    }

    /** The standby has the change and not the row in the log: then its slot must not be past the change. */
    @Test
    void theSlotIsToldOnlyWhenTheStandbyHasTheLog() throws Exception {
        try (Pair pair = Pair.start(folder);
                Baton baton = Baton.open(pair.url())) {
            Capture capture =
                    baton.capture("changes").table("public.alert").key("k").start();
            CapturedLog.awaitRunning(pair.database, "changes");
            pair.awaitSlot();

            String before =
                    pair.cutOff("advance_capture", () -> pair.database.execute("INSERT INTO alert (k) VALUES ('a')"));
            pair.await(() -> pair.database
                    .one("SELECT count(*) FROM baton.changes WHERE key = 'a'")
                    .equals("1"));
            pair.giveTimeToTell(before);
            pair.promoteWithWhatItHas();

            assertThat(pair.onStandby("SELECT count(*) FROM alert WHERE k = 'a'"))
                    .as("it has the change")
                    .isEqualTo("1");
            pair.await(() -> pair.onStandby("SELECT count(*) FROM baton.changes WHERE key = 'a'")
                    .equals("1"));
            assertThat(capture.health().problem()).isNull();
        }
    }

    /** The standby's slot must not be further than its own record says either: it would look as if somebody had moved it. */
    @Test
    @Tag("heavy")
    void whatAQuietSlotIsToldIsRecordedOnTheStandbyToo() throws Exception {
        try (Pair pair = Pair.start(folder);
                Baton baton = Baton.open(pair.url())) {
            Capture capture =
                    baton.capture("changes").table("public.alert").key("k").start();
            CapturedLog.awaitRunning(pair.database, "changes");
            pair.awaitSlot();

            String before = pair.cutOff(
                    "SET acknowledged",
                    () -> pair.database.execute("SELECT pg_logical_emit_message(false, 'filler', repeat('x', 1000000)) "
                            + "FROM generate_series(1, 20)"));
            pair.giveTimeToTell(before);
            pair.promoteWithWhatItHas();

            pair.execute("INSERT INTO alert (k) VALUES ('later')");
            pair.await(() -> isMoved(capture)
                    || pair.onStandby("SELECT count(*) FROM baton.changes WHERE key = 'later'")
                            .equals("1"));
            assertThat(capture.health().problem()).isNull();
        }
    }

    private static boolean isMoved(Capture capture) {
        return String.valueOf(capture.health().problem()).contains("somebody moved it");
    }

    private interface Work {
        void run() throws Exception;
    }

    /** A primary and its standby, which keeps copies of slots. */
    private static final class Pair implements AutoCloseable {
        private final TestServer server;
        private final TestDatabase database;
        private final PostgresServer standby;

        private Pair(TestServer server, TestDatabase database, PostgresServer standby) {
            this.server = server;
            this.database = database;
            this.standby = standby;
        }

        static Pair start(Path folder) throws Exception {
            TestServer server = TestServer.start(Map.of("hot_standby_feedback", "on"));
            try {
                assumeTrue(server.postgres().majorVersion() >= 17, "slots of standbys came with PostgreSQL 17");
                TestDatabase database = server.newDatabase();
                Alerts.createTable(database);
                PostgresServer standby = server.postgres()
                        .replica(
                                folder.resolve(STANDBY),
                                Map.of("primary_slot_name", STANDBY, "sync_replication_slots", "on"));
                database.execute("SELECT pg_create_physical_replication_slot('" + STANDBY + "')");
                database.execute("ALTER SYSTEM SET synchronized_standby_slots = '" + STANDBY + "'");
                database.execute("SELECT pg_reload_conf()");
                return new Pair(server, database, standby);
            } catch (Throwable failed) {
                server.close();
                throw failed;
            }
        }

        PostgresServer primary() {
            return server.postgres();
        }

        /** The URL of the present primary. */
        String url() {
            return "jdbc:postgresql://127.0.0.1:" + primary().port() + ",127.0.0.1:" + standby.port() + "/"
                    + database.name() + "?user=postgres&targetServerType=primary";
        }

        void execute(String sql) throws SQLException {
            try (Connection connection = DriverManager.getConnection(url());
                    Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        }

        String onStandby(String sql) throws SQLException {
            try (Connection connection = DriverManager.getConnection(standby.jdbcUrl(database.name()));
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(sql)) {
                return row.next() ? String.valueOf(row.getString(1)) : "null";
            }
        }

        void await(Callable<Boolean> condition) {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(50))
                    .until(condition);
        }

        void copySlots() throws SQLException {
            onStandby("SELECT pg_sync_replication_slots()");
        }

        /**
         * The standby keeps a copy of the slot only when it has come as far as the slot, and that needs some activity
         * on the primary. Only the standby's own process waits long enough to make the first copy; afterwards the test
         * decides when to copy.
         */
        void awaitSlot() throws SQLException {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(90))
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> {
                        database.execute("INSERT INTO alert (k) VALUES ('before')");
                        database.execute("SELECT pg_log_standby_snapshot()");
                        return onStandby("SELECT count(*) FROM pg_replication_slots WHERE synced AND NOT temporary")
                                .equals("1");
                    });
            try (Connection connection = DriverManager.getConnection(standby.jdbcUrl(database.name()));
                    Statement statement = connection.createStatement()) {
                statement.execute("ALTER SYSTEM SET sync_replication_slots = off");
                statement.execute("SELECT pg_reload_conf()");
            }
            Awaitility.await().atMost(Duration.ofSeconds(30)).ignoreExceptions().until(() -> {
                copySlots();
                return true;
            });
        }

        /**
         * The standby gets what the given work writes, and nothing that the capture writes afterwards.
         *
         * @return where the WAL ended before
         */
        String cutOff(String statementLike, Work work) throws Exception {
            try (Connection lock = database.connect();
                    Statement statement = lock.createStatement()) {
                lock.setAutoCommit(false);
                statement.execute("SELECT FROM baton.capture FOR UPDATE");
                String begin = database.one("SELECT pg_current_wal_insert_lsn()");
                work.run();
                await(() -> database.one(BLOCKED.formatted(statementLike)).equals("1"));
                String end = database.one("SELECT pg_current_wal_flush_lsn()");
                await(() -> onStandby("SELECT pg_last_wal_receive_lsn() >= '" + end + "'")
                        .equals("t"));
                Signals.freeze(Long.parseLong(onStandby("SELECT pid FROM pg_stat_wal_receiver")));
                lock.rollback();
                return begin;
            }
        }

        /**
         * If the place is acknowledged at all, it is with the answer to the server's next keepalive message, which
         * comes after half of the lease.
         */
        void giveTimeToTell(String before) throws SQLException {
            try {
                Awaitility.await()
                        .atMost(Duration.ofSeconds(8))
                        .until(() -> database.one(
                                        "SELECT confirmed_flush_lsn > ?::pg_lsn FROM pg_replication_slots WHERE slot_type = 'logical'",
                                        before)
                                .equals("t"));
            } catch (ConditionTimeoutException notTold) {
                // As expected.
            }
            copySlots();
        }

        /** WAL that was on its way to the standby is lost with the primary. */
        void promoteWithWhatItHas() throws Exception {
            long receiver = Long.parseLong(onStandby("SELECT pid FROM pg_stat_wal_receiver"));
            primary().stop(StopMode.IMMEDIATE);
            ProcessHandle.of(receiver).ifPresent(ProcessHandle::destroyForcibly);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .ignoreExceptions()
                    .until(() -> onStandby("SELECT count(*) FROM pg_stat_wal_receiver WHERE pid = " + receiver)
                            .equals("0"));
            standby.promote();
        }

        @Override
        public void close() {
            standby.close();
            database.close();
            server.close();
        }
    }
}
