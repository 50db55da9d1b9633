package org.pgbaton.proofs.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * Only changes that are in the log are acknowledged to the server, and the acknowledgement is recorded on disk before.
 * A trigger sees every update of the record.
 */
@BatonTest
class WhatWaitsIsNotAcknowledgedTest {
    private static final String BLOCKED =
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%advance_capture%'";

    private static void watch(TestDatabase database, String capture) throws Exception {
        database.execute("CREATE TABLE seen (acknowledged pg_lsn, changes bigint, durable text)");
        database.execute("CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.seen "
                + "SELECT NEW.acknowledged, count(*), current_setting('synchronous_commit') FROM baton." + capture
                + "; RETURN NEW; END $$");
        database.execute(
                "CREATE TRIGGER see BEFORE UPDATE OF acknowledged ON baton.capture FOR EACH ROW EXECUTE FUNCTION see()");
    }

    /**
     * While the first change is being written, WAL of other tables and a second change arrive. All of it has been
     * received when the writer goes on.
     */
    @Test
    void aChangeThatWaitsBeforeMuchWalOfOthers(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k text PRIMARY KEY); CREATE TABLE other (filler text)");
        try (Baton baton = database.baton();
                Connection lock = database.connect();
                Statement statement = lock.createStatement()) {
            baton.capture("wa_waits").table("alert").start();
            CapturedLog.awaitRunning(database, "wa_waits");
            watch(database, "wa_waits");
            lock.setAutoCommit(false);
            statement.execute("SELECT FROM baton.capture FOR UPDATE");
            database.execute("INSERT INTO alert VALUES ('first')");
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> database.one(BLOCKED).equals("1"));
            String before = database.one("SELECT pg_current_wal_insert_lsn()");
            database.execute("INSERT INTO alert VALUES ('second')");
            database.execute("INSERT INTO other SELECT repeat('x', 1000) FROM generate_series(1, 30000)");
            String after = database.one("SELECT pg_current_wal_insert_lsn()");
            await("it is received")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> database.one(
                                    "SELECT bool_or(write_lsn >= ?::pg_lsn) FROM pg_stat_replication WHERE application_name LIKE 'baton capture wa_waits %'",
                                    after)
                            .equals("t"));
            lock.rollback();
            new CapturedLog(database, "wa_waits").awaitCount(2);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> !database.one("SELECT count(*) FROM seen WHERE acknowledged > ?::pg_lsn", before)
                            .equals("0"));
            assertThat(database.one("SELECT min(changes) FROM seen WHERE acknowledged > ?::pg_lsn", before))
                    .as("rows of the log when the server may forget the second change")
                    .isEqualTo("2");
        }
    }

    @Test
    void whateverTheRolesOwnSettingIsTheRecordIsDurable(TestDatabase database) throws Exception {
        database.execute("ALTER DATABASE " + database.name() + " SET synchronous_commit = off");
        database.execute("CREATE TABLE alert (k text PRIMARY KEY); CREATE TABLE other (filler text)");
        try (Baton baton = database.baton()) {
            baton.capture("wa_durable").table("alert").start();
            watch(database, "wa_durable");
            database.execute("INSERT INTO other SELECT repeat('x', 1000) FROM generate_series(1, 30000)");
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> !database.one("SELECT count(*) FROM seen").equals("0"));
            database.execute("INSERT INTO alert VALUES ('a')");
            new CapturedLog(database, "wa_durable").awaitCount(1);
            assertThat(database.one("SELECT string_agg(DISTINCT durable, ', ') FROM seen"))
                    .isEqualTo("on");
        }
    }
}
