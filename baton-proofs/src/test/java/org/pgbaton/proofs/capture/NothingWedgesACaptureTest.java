package org.pgbaton.proofs.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.capture.Capture;
import org.pgbaton.capture.CaptureException;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * Whatever was done to a table before its changes are read, the capture goes on, or says which change an operator has
 * to decide on.
 */
@BatonTest
class NothingWedgesACaptureTest {
    @Test
    void theColumnOfThePrimaryKeyWasRenamed(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (id integer PRIMARY KEY, n integer); "
                + "CREATE TABLE whole (id integer PRIMARY KEY, n integer); ALTER TABLE whole REPLICA IDENTITY FULL");
        try (Baton baton = database.baton()) {
            baton.capture("nw_rename").table("alert").table("whole").start();
            pause(database, baton, "nw_rename");
            for (String table : new String[] {"alert", "whole"}) {
                database.execute("INSERT INTO " + table + " VALUES (1, 1); UPDATE " + table + " SET n = 2; UPDATE "
                        + table + " SET id = 2; DELETE FROM " + table);
                database.execute("ALTER TABLE " + table + " RENAME COLUMN id TO number");
                database.execute("INSERT INTO " + table + " VALUES (3, 3)");
            }
            baton.captures().resume("nw_rename", null);
            CapturedLog log = new CapturedLog(database, "nw_rename").awaitCount(12);
            assertThat(log.column("SELECT payload ->> 'operation' || ' ' || key FROM baton.nw_rename "
                            + "WHERE payload ->> 'table' = 'public.alert' ORDER BY position"))
                    .containsExactly("insert 1", "update 1", "delete 1", "insert 2", "delete 2", "insert 3");
            assertThat(log.column("SELECT payload ->> 'operation' || ' ' || key FROM baton.nw_rename "
                            + "WHERE payload ->> 'table' = 'public.whole' ORDER BY position"))
                    .containsExactly("insert 1", "update 1", "delete 1", "insert 2", "delete 2", "insert 3");
        }
    }

    @Test
    void aKeyOfSeveralColumnsKeepsItsOrder(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (a text, filler text, b text, PRIMARY KEY (b, a))");
        try (Baton baton = database.baton()) {
            baton.capture("nw_several").table("alert").start();
            pause(database, baton, "nw_several");
            database.execute("INSERT INTO alert VALUES ('a', '', 'b')");
            database.execute("ALTER TABLE alert RENAME COLUMN a TO x; ALTER TABLE alert RENAME COLUMN b TO a; "
                    + "ALTER TABLE alert DROP COLUMN filler");
            database.execute("UPDATE alert SET x = x");
            baton.captures().resume("nw_several", null);
            CapturedLog log = new CapturedLog(database, "nw_several").awaitCount(2);
            assertThat(log.column("SELECT key FROM baton.nw_several ORDER BY position"))
                    .containsExactly("[\"b\",\"a\"]", "[\"b\",\"a\"]");
        }
    }

    /** Changing the replica identity now would not help: the change in the WAL stays as it is. */
    @Test
    void aChangeWithoutKeyIsSkippedBySomebodyWithAReason(TestDatabase database) throws Exception {
        database.execute(
                "CREATE TABLE alert (id integer PRIMARY KEY, k text); ALTER TABLE alert REPLICA IDENTITY FULL");
        try (Baton baton = database.baton("operator")) {
            Capture capture = baton.capture("nw_skip").table("alert").key("k").start();
            assertThatThrownBy(() -> baton.captures().skip("nw_skip", false, "why not"))
                    .isInstanceOf(CaptureException.class)
                    .hasMessageContaining("is not held up by a change");
            pause(database, baton, "nw_skip");
            database.execute("INSERT INTO alert VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')");
            database.execute("ALTER TABLE alert REPLICA IDENTITY DEFAULT");
            database.execute("DELETE FROM alert WHERE id = 1");
            // A good change between two that cannot be captured.
            database.execute("DO $$ BEGIN DELETE FROM alert WHERE id = 2; INSERT INTO alert VALUES (5, 'e'); "
                    + "DELETE FROM alert WHERE id = 3; END $$");
            database.execute("ALTER TABLE alert REPLICA IDENTITY FULL");
            database.execute("DELETE FROM alert WHERE id = 4");
            baton.captures().resume("nw_skip", null);

            CapturedLog log = new CapturedLog(database, "nw_skip").awaitCount(4);
            await().atMost(Duration.ofSeconds(30)).until(() -> capture.health().problem() != null);
            assertThat(capture.health().problem())
                    .contains(
                            "the delete of public.alert, change 1 of the transaction that committed at",
                            "column k of the key",
                            "baton captures skip nw_skip");
            assertThat(database.one("SELECT state FROM baton.capture_status")).isEqualTo("stopped");
            await("it is not tried again and again")
                    .during(Duration.ofSeconds(7))
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> database.one(
                                    "SELECT active FROM pg_replication_slots WHERE slot_name = 'baton_nw_skip'")
                            .equals("f"));
            assertThat(log.count()).as("nothing is passed over by itself").isEqualTo(4);

            assertThat(baton.captures().skip("nw_skip", false, "it is gone anyway"))
                    .contains("the delete of public.alert");
            String first = database.one("SELECT skip_lsn FROM baton.capture");
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> database.one("SELECT stuck_lsn > ?::pg_lsn FROM baton.capture", first)
                            .equals("t"));
            baton.captures().skip("nw_skip", true, "all of them");
            log.awaitCount(6);
            assertThat(log.column("SELECT payload ->> 'operation' || ' ' || key FROM baton.nw_skip ORDER BY position"))
                    .containsExactly("insert a", "insert b", "insert c", "insert d", "insert e", "delete d");
            await().atMost(Duration.ofSeconds(30)).until(() -> capture.health().isHealthy());
            assertThat(baton.captures().gaps("nw_skip")).hasSize(2).allSatisfy(gap -> {
                assertThat(gap.settledBy()).isEqualTo("operator");
                assertThat(gap.what()).startsWith("skipped: the delete of public.alert");
                assertThat(gap.fromLsn()).isEqualTo(gap.toLsn());
            });
            assertThat(
                            database.one(
                                    "SELECT string_agg(who || ': ' || reason, ', ' ORDER BY id) FROM baton.action WHERE what = 'skip change'"))
                    .isEqualTo("operator: it is gone anyway, operator: all of them");
        }
    }

    /** Existing rows are read with the present column names; changes that come meanwhile have the earlier names. */
    @Test
    void theKeyWasRenamedWhileRowsAreSent(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (id integer PRIMARY KEY, n integer); INSERT INTO alert VALUES (1, 1)");
        try (Baton baton = database.baton()) {
            baton.capture("nw_rows").table("alert").start();
            pause(database, baton, "nw_rows");
            baton.captures().snapshot("nw_rows", null);
            database.execute("INSERT INTO alert VALUES (2, 2)");
            database.execute("ALTER TABLE alert RENAME COLUMN id TO number");
            baton.captures().resume("nw_rows", null);
            CapturedLog log = new CapturedLog(database, "nw_rows");
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> baton.captures().snapshots("nw_rows").get(0).doneAt() != null);
            assertThat(log.column("SELECT DISTINCT key FROM baton.nw_rows ORDER BY key"))
                    .containsExactly("1", "2");
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
