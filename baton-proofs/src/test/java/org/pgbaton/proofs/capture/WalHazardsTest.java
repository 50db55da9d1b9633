package org.pgbaton.proofs.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.pgbaton.proofs.capture.CapturedLog.awaitRunning;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgbaton.Baton;
import org.pgbaton.capture.CaptureHealth;
import org.pgbaton.capture.CapturedOperation;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/** The hazards of a replication slot, one by one. */
@BatonTest
class WalHazardsTest {
    /** The time of the last acknowledgement that the server got. */
    private static final String TOLD =
            "SELECT reply_time FROM pg_stat_replication r JOIN pg_replication_slots s ON s.active_pid = r.pid WHERE s.database = current_database()";

    /** Changes that were only received must not be acknowledged. */
    @Test
    void whatWasReceivedAndNotWrittenComesAgain(TestDatabase database) throws Exception {
        Alerts.createTable(database);
        database.execute("CREATE TABLE chatter (at timestamptz DEFAULT now())");
        try (Connection lock = database.connect();
                Statement statement = lock.createStatement()) {
            try (JavaProcess reader = CaptureProgram.start(database, "reader-0")) {
                awaitRunning(database, CaptureProgram.CAPTURE);
                lock.setAutoCommit(false);
                statement.execute("SELECT FROM baton.capture FOR UPDATE");
                database.execute("INSERT INTO alert (k) VALUES ('a')");
                await().until(() -> database.one(
                                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%advance_capture%'")
                        .equals("1"));
                // An acknowledgement goes out when the server sends something. Wait for two: the first may have been on
                // its way already.
                for (int i = 0; i < 2; i++) {
                    String told = database.one(TOLD);
                    await().pollInterval(Duration.ofMillis(500))
                            .atMost(Duration.ofSeconds(40))
                            .until(() -> {
                                database.execute("INSERT INTO chatter DEFAULT VALUES");
                                return !database.one(TOLD).equals(told);
                            });
                }
                reader.kill();
            }
            lock.rollback();
            CapturedLog log = new CapturedLog(database, CaptureProgram.CAPTURE);
            try (JavaProcess next = CaptureProgram.start(database, "reader-1")) {
                log.awaitCount(1);
                database.execute("INSERT INTO alert (k) VALUES ('b')");
                log.awaitCount(2);
                assertThat(next.isAlive()).isTrue();
                assertThat(log.rows("id")).containsExactly("insert a 1", "insert b 2");
            }
        }
    }

    /**
     * All rows of a transaction have one place in the WAL. Only their number tells which of them are in the log
     * already.
     */
    @Test
    void aReaderThatDiesInTheMiddleOfATransaction(TestDatabase database) throws Exception {
        Alerts.createTable(database);
        CapturedLog log = new CapturedLog(database, CaptureProgram.CAPTURE);
        try (JavaProcess reader = CaptureProgram.start(database, "reader-0")) {
            awaitRunning(database, CaptureProgram.CAPTURE);
            try (Barrier barrier = new Barrier(database, CaptureProgram.CAPTURE, 20_000)) {
                database.execute("INSERT INTO alert (k) SELECT 'k' || g % 100 FROM generate_series(1, 60000) g");
                barrier.awaitSomebody();
                reader.kill();
            }
        }
        assertThat(log.count()).isBetween(1L, 20_000L);
        try (JavaProcess next = CaptureProgram.start(database, "reader-1")) {
            log.awaitCount(60_000, Duration.ofSeconds(60));
            assertThat(next.isAlive()).isTrue();
        }
        assertThat(database.one(
                        "SELECT count(*) || ' ' || count(DISTINCT payload -> 'after' ->> 'id') FROM baton.changes"))
                .isEqualTo("60000 60000");
    }

    @Test
    @Tag("heavy")
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void aMillionRowsInOneTransactionNeedLittleMemory(TestDatabase database) throws Exception {
        Alerts.createTable(database);
        try (JavaProcess reader = CaptureProgram.start(database, "reader-0")) { // with 128 MiB
            awaitRunning(database, CaptureProgram.CAPTURE);
            database.execute(
                    "INSERT INTO alert (k, note) SELECT 'k' || g % 1000, repeat('x', 200) FROM generate_series(1, 1000000) g");
            new CapturedLog(database, CaptureProgram.CAPTURE).awaitCount(1_000_000, Duration.ofMinutes(8));
            assertThat(reader.isAlive()).isTrue();
        }
    }

    /** A slot that is older than its publication could not read what was committed in between, for ever. */
    @Test
    void thePublicationIsThereBeforeTheSlot(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k text PRIMARY KEY)");
        try (Connection open = database.connect();
                Statement statement = open.createStatement();
                Baton baton = database.baton()) {
            open.setAutoCommit(false);
            statement.execute("INSERT INTO alert VALUES ('before')");
            Thread start =
                    new Thread(() -> baton.capture("wh_order").table("alert").start());
            start.start();
            // The slot waits for the open transaction.
            await().until(() -> database.one(
                            "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%create_logical%' AND "
                                    + "state = 'active' AND pid <> pg_backend_pid()")
                    .equals("1"));
            assertThat(database.one("SELECT count(*) FROM pg_publication WHERE pubname = 'baton_wh_order'"))
                    .isEqualTo("1");
            assertThat(start.isAlive()).as("start waits for the slot").isTrue();
            open.commit();
            start.join();
            database.execute("INSERT INTO alert VALUES ('after')");
            CapturedLog log = new CapturedLog(database, "wh_order").awaitCount(1);
            assertThat(log.rows("k")).containsExactly("insert after after");
        }
    }

    @Test
    void aQuietTableBesideABusyOneKeepsNoWal(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k text PRIMARY KEY)");
        database.execute("CREATE TABLE busy (n integer, filler text)");
        try (Baton baton = database.baton()) {
            baton.capture("wh_quiet").table("alert").start();
            awaitRunning(database, "wh_quiet");
            for (int i = 0; i < 4; i++) {
                database.execute("INSERT INTO busy SELECT g, repeat('x', 1000) FROM generate_series(1, 20000) g");
            }
            await().atMost(Duration.ofSeconds(30))
                    .until(() ->
                            Long.parseLong(database.one("SELECT behind_bytes FROM baton.capture_status")) < 20 << 20);
            database.execute("INSERT INTO alert VALUES ('a')");
            new CapturedLog(database, "wh_quiet").awaitCount(1);
        }
    }

    /** There may be no pause for days, neither in captured changes nor, on PostgreSQL 14, in other transactions. */
    @Test
    void underSteadyWritesTheServerIsToldToo(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k bigserial PRIMARY KEY)");
        database.execute("CREATE TABLE other (k bigserial PRIMARY KEY)");
        try (Baton baton = database.baton()) {
            baton.capture("wh_steady")
                    .table("alert")
                    .operations(CapturedOperation.INSERT)
                    .start();
            awaitRunning(database, "wh_steady");
            for (String table : List.of("alert", "other")) {
                AtomicBoolean writing = new AtomicBoolean(true);
                Thread writer = new Thread(() -> insert(database, table, writing));
                writer.start();
                try {
                    String told =
                            "SELECT confirmed_flush_lsn FROM pg_replication_slots WHERE slot_name = 'baton_wh_steady'";
                    String before = database.one("SELECT pg_current_wal_lsn()");
                    await(table)
                            .atMost(Duration.ofSeconds(30))
                            .until(() -> database.one("SELECT (" + told + ") > ?::pg_lsn", before)
                                    .equals("t"));
                } finally {
                    writing.set(false);
                    writer.join();
                }
            }
        }
    }

    /** A transaction every few milliseconds. */
    private static void insert(TestDatabase database, String table, AtomicBoolean writing) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            while (writing.get()) {
                statement.execute("INSERT INTO " + table + " DEFAULT VALUES");
                // Enough WAL for an acknowledgement.
                statement.execute("SELECT pg_logical_emit_message(false, 'filler', repeat('x', 20000))");
            }
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    @Test
    void namesAndTypesAreThoseOfTheMomentOfTheChange(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k text PRIMARY KEY, old_name integer, gone text)");
        try (Baton baton = database.baton()) {
            baton.capture("wh_ddl").table("alert").start();
            awaitRunning(database, "wh_ddl");
            pause(database, baton, "wh_ddl");
            database.execute("INSERT INTO alert VALUES ('a', 1, 'x')");
            database.execute("ALTER TABLE alert RENAME COLUMN old_name TO new_name");
            database.execute(
                    "ALTER TABLE alert DROP COLUMN gone, ALTER COLUMN new_name TYPE text, ADD COLUMN more boolean DEFAULT true");
            database.execute("INSERT INTO alert VALUES ('b', '2')");
            baton.captures().resume("wh_ddl", null);
            CapturedLog log = new CapturedLog(database, "wh_ddl").awaitCount(2);
            assertThat(log.payloads().get(0)).contains("\"after\":{\"k\":\"a\",\"old_name\":1,\"gone\":\"x\"}");
            assertThat(log.payloads().get(1)).contains("\"after\":{\"k\":\"b\",\"new_name\":\"2\",\"more\":true}");
        }
    }

    @Test
    void aLargeValueThatWasNotTouchedIsNotNull(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k text PRIMARY KEY, n integer, document text)");
        database.execute("ALTER TABLE alert ALTER COLUMN document SET STORAGE EXTERNAL");
        try (Baton baton = database.baton()) {
            baton.capture("wh_toast").table("alert").start();
            awaitRunning(database, "wh_toast");
            database.execute("INSERT INTO alert VALUES ('a', 1, repeat('x', 9000))");
            database.execute("UPDATE alert SET n = 2");
            database.execute("UPDATE alert SET document = NULL");
            CapturedLog log = new CapturedLog(database, "wh_toast").awaitCount(3);
            assertThat(log.payloads().get(1)).contains("\"after\":{\"k\":\"a\",\"n\":2},\"unchanged\":[\"document\"]");
            assertThat(log.payloads().get(2)).contains("\"document\":null").doesNotContain("unchanged");
        }
    }

    @Test
    void aSlotThatWasMadeAnewStopsTheCapture(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k text PRIMARY KEY)");
        try (Baton baton = database.baton()) {
            var capture = baton.capture("wh_anew").table("alert").start();
            awaitRunning(database, "wh_anew");
            pause(database, baton, "wh_anew");
            database.execute("SELECT pg_drop_replication_slot('baton_wh_anew')");
            database.execute("INSERT INTO alert VALUES ('missed')");
            database.execute("SELECT pg_create_logical_replication_slot('baton_wh_anew', 'pgoutput')");
            baton.captures().resume("wh_anew", null);
            await().atMost(Duration.ofSeconds(20)).until(() -> capture.health().problem() != null);
            assertThat(capture.health())
                    .extracting(CaptureHealth::problem)
                    .asString()
                    .contains("somebody moved it, or dropped it and made it anew", "baton captures drop wh_anew");
            assertThat(database.one("SELECT state FROM baton.capture_status")).isEqualTo("stopped");
        }
    }

    @Test
    void aSlotThatIsGoneStopsTheCapture(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k text PRIMARY KEY)");
        try (Baton baton = database.baton()) {
            var capture = baton.capture("wh_gone").table("alert").start();
            awaitRunning(database, "wh_gone");
            pause(database, baton, "wh_gone");
            database.execute("SELECT pg_drop_replication_slot('baton_wh_gone')");
            baton.captures().resume("wh_gone", null);
            await().atMost(Duration.ofSeconds(20)).until(() -> capture.health().problem() != null);
            assertThat(capture.health().problem()).contains("is gone, and with it the changes since");
            assertThat(database.one("SELECT state FROM baton.capture_status")).isEqualTo("lost");
        }
    }

    private static void pause(TestDatabase database, Baton baton, String capture) {
        baton.captures().pause(capture, "test");
        await().atMost(Duration.ofSeconds(20))
                .until(() -> database.one(
                                "SELECT active FROM pg_replication_slots WHERE slot_name = ?", "baton_" + capture)
                        .equals("f"));
    }
}
