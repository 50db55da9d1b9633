package org.pgbaton.proofs.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.capture.Capture;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.Signals;
import org.pgbaton.testkit.TestDatabase;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;
import org.postgresql.replication.PGReplicationStream;

/**
 * A transaction of another program does not stop a capture, however long the server needs to read past it. Up to
 * PostgreSQL 15 the server sends nothing meanwhile. So silence does not end a reader; the next reader ends the former
 * one.
 */
@BatonTest
class AHugeForeignTransactionTest {
    @Test
    void anUncapturedTableIsRewritten(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k text PRIMARY KEY); CREATE TABLE other (n integer); "
                + "INSERT INTO other SELECT generate_series(1, 500000)");
        try (Baton baton = database.baton()) {
            Capture capture = baton.capture("hf_rewrite")
                    .table("alert")
                    .lease(Duration.ofSeconds(2))
                    .start();
            String reader = readerOf(database, "baton_hf_rewrite");
            database.execute("ALTER TABLE other ALTER COLUMN n TYPE bigint");
            database.execute("INSERT INTO alert VALUES ('a')");
            new CapturedLog(database, "hf_rewrite").awaitCount(1, Duration.ofMinutes(2));
            assertThat(readerOf(database, "baton_hf_rewrite"))
                    .as("it was never ended")
                    .isEqualTo(reader);
            assertThat(capture.health().problem()).isNull();
        }
    }

    @Test
    void whileNothingMovesPeopleAreTold(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k text PRIMARY KEY, filler text)");
        try (Baton baton = database.baton()) {
            Capture capture = baton.capture("hf_told")
                    .table("alert")
                    .lease(Duration.ofSeconds(2))
                    .start();
            // A stopped server process looks the same as one that reads past a large transaction, on any machine.
            long reader = Long.parseLong(readerOf(database, "baton_hf_told"));
            Signals.freeze(reader);
            try {
                database.execute("INSERT INTO alert SELECT g, repeat('x', 1000) FROM generate_series(1, 3000) g");
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> String.valueOf(capture.health().warning())
                                .contains("the server has sent nothing, although there is WAL to read"));
                assertThat(baton.captures().show("hf_told").warning()).contains("It goes on by itself");
            } finally {
                Signals.thaw(reader);
            }
            new CapturedLog(database, "hf_told").awaitCount(3000);
            await().atMost(Duration.ofSeconds(60)).until(() -> capture.health().isHealthy());
            assertThat(readerOf(database, "baton_hf_told"))
                    .as("it was never ended")
                    .isEqualTo(String.valueOf(reader));
        }
    }

    /** Its server process would keep the slot for ever, because silence does not end it. */
    @Test
    void theReaderBeforeIsEndedByTheNext(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k text PRIMARY KEY)");
        try (Baton baton = database.baton()) {
            Capture capture = baton.capture("hf_former").table("alert").start();
            pause(database, baton, "hf_former");
            Connection former = read(database, "hf_former", "baton capture hf_former frozen");
            try {
                database.execute("INSERT INTO alert VALUES ('a')");
                baton.captures().resume("hf_former", null);
                new CapturedLog(database, "hf_former").awaitCount(1);
                assertThat(capture.health().problem()).isNull();
            } finally {
                former.abort(Runnable::run);
            }
        }
    }

    @Test
    void anotherProgramIsNotEndedButNamed(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k text PRIMARY KEY)");
        try (Baton baton = database.baton()) {
            Capture capture = baton.capture("hf_other")
                    .table("alert")
                    .lease(Duration.ofSeconds(2))
                    .start();
            pause(database, baton, "hf_other");
            Connection other = read(database, "hf_other", "pg_recvlogical");
            try {
                baton.captures().resume("hf_other", null);
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> String.valueOf(capture.health().problem())
                                .contains("another program (pg_recvlogical, process "));
                assertThat(database.one(
                                "SELECT count(*) FROM pg_stat_replication WHERE application_name = 'pg_recvlogical'"))
                        .isEqualTo("1");
            } finally {
                other.abort(Runnable::run);
            }
            database.execute("INSERT INTO alert VALUES ('a')");
            new CapturedLog(database, "hf_other").awaitCount(1);
            await().atMost(Duration.ofSeconds(30)).until(() -> capture.health().problem() == null);
        }
    }

    private static String readerOf(TestDatabase database, String slot) {
        return await().atMost(Duration.ofSeconds(30))
                .until(
                        () -> database.one("SELECT active_pid FROM pg_replication_slots WHERE slot_name = ?", slot),
                        pid -> pid != null && !pid.equals("null"));
    }

    /** A reader that has the slot and reads nothing. */
    private static Connection read(TestDatabase database, String capture, String name) throws Exception {
        Properties properties = new Properties();
        PGProperty.REPLICATION.set(properties, "database");
        PGProperty.ASSUME_MIN_SERVER_VERSION.set(properties, "14");
        PGProperty.PREFER_QUERY_MODE.set(properties, "simple");
        Connection connection = DriverManager.getConnection(database.url(), properties);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET application_name = '" + name + "'");
            statement.execute("SET wal_sender_timeout = 0");
        }
        PGReplicationStream stream = connection
                .unwrap(PGConnection.class)
                .getReplicationAPI()
                .replicationStream()
                .logical()
                .withSlotName("baton_" + capture)
                .withSlotOption("proto_version", 1)
                .withSlotOption("publication_names", "baton_" + capture)
                .withAutomaticFlush(false)
                .start();
        assertThat(stream.isClosed()).isFalse();
        return connection;
    }

    private static void pause(TestDatabase database, Baton baton, String capture) {
        baton.captures().pause(capture, "test");
        await().atMost(Duration.ofSeconds(20))
                .until(() -> database.one(
                                "SELECT active FROM pg_replication_slots WHERE slot_name = ?", "baton_" + capture)
                        .equals("f"));
    }
}
