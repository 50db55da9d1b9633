package org.pgbaton.proofs.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pgbaton.proofs.capture.CapturedLog.awaitRunning;

import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.capture.CapturedOperation;
import org.pgbaton.capture.CapturedTable;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** The messages in the log when rows change. */
@BatonTest
class RowChangesTest {
    @Test
    void everyChangeIsAMessage(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k text PRIMARY KEY, amount numeric, note text)");
        try (Baton baton = database.baton()) {
            baton.capture("rc_every").table("public.alert").start();
            awaitRunning(database, "rc_every");
            database.execute("INSERT INTO alert VALUES ('a', 1.50, 'one')");
            database.execute("UPDATE alert SET amount = 2 WHERE k = 'a'");
            database.execute("UPDATE alert SET k = 'b' WHERE k = 'a'");
            database.execute("DELETE FROM alert");
            CapturedLog log = new CapturedLog(database, "rc_every").awaitCount(5);
            assertThat(log.rows("amount"))
                    .containsExactly("insert a 1.50", "update a 2", "delete a", "insert b 2", "delete b");
            assertThat(log.payloads().get(0))
                    .matches("\\{\"table\":\"public.alert\",\"operation\":\"insert\",\"before\":null,"
                            + "\"after\":\\{\"k\":\"a\",\"amount\":1.50,\"note\":\"one\"},"
                            + "\"lsn\":\"[0-9A-F]+/[0-9A-F]+\",\"committedAt\":\"2[-0-9T:.]+Z\"}");
        }
    }

    @Test
    void aTruncateReachesEveryLane(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k text PRIMARY KEY)");
        try (Baton baton = database.baton()) {
            baton.capture("rc_truncate").table("public.alert").start();
            awaitRunning(database, "rc_truncate");
            database.execute("INSERT INTO alert VALUES ('a')");
            database.execute("TRUNCATE alert");
            CapturedLog log = new CapturedLog(database, "rc_truncate").awaitCount(17);
            assertThat(
                            log.column(
                                    "SELECT lane FROM baton.rc_truncate WHERE payload ->> 'operation' = 'truncate' ORDER BY lane"))
                    .hasSize(16)
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void onlyWhatWasAskedFor(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (id serial PRIMARY KEY, k text, secret text)");
        database.execute("CREATE TABLE other (id serial PRIMARY KEY, k text)");
        try (Baton baton = database.baton()) {
            baton.capture("rc_only")
                    .table(CapturedTable.named("public.alert").columns("id", "k"))
                    .operations(CapturedOperation.INSERT)
                    .key("k")
                    .start();
            awaitRunning(database, "rc_only");
            database.execute("INSERT INTO alert (k, secret) VALUES ('a', 's1')");
            database.execute("UPDATE alert SET secret = 's2'");
            database.execute("INSERT INTO other (k) VALUES ('x')");
            database.execute("DELETE FROM alert");
            database.execute("INSERT INTO alert (k, secret) VALUES ('b', 's3')");
            CapturedLog log = new CapturedLog(database, "rc_only").awaitCount(2);
            assertThat(log.rows("id")).containsExactly("insert a 1", "insert b 2");
            assertThat(log.payloads()).noneMatch(payload -> payload.contains("secret"));
        }
    }

    @Test
    void messagesNeedNoTable(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            baton.capture("rc_messages").messages("orders").start();
            awaitRunning(database, "rc_messages");
            database.execute("SELECT pg_logical_emit_message(true, 'orders/42', '{\"paid\": true}')");
            database.execute("SELECT pg_logical_emit_message(true, 'ordersx', '{}')");
            database.execute("SELECT pg_logical_emit_message(true, 'orders', 'plain')");
            CapturedLog log = new CapturedLog(database, "rc_messages").awaitCount(2);
            assertThat(
                            log.column(
                                    "SELECT key || ' ' || coalesce(payload::text, convert_from(data, 'UTF8')) FROM baton.rc_messages ORDER BY position"))
                    .containsExactly("42 {\"paid\": true}", "orders plain");
        }
    }
}
