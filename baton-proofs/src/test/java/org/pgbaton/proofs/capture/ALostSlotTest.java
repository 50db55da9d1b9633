package org.pgbaton.proofs.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.capture.Capture;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/**
 * A server that keeps a limited amount of WAL. The capture first warns and then says that the slot is lost; it never
 * silently makes a new slot.
 */
class ALostSlotTest {
    @Test
    void aWarningThenAStatement() throws Exception {
        try (TestServer server = TestServer.start(
                        Map.of("max_slot_wal_keep_size", "64MB", "wal_keep_size", "0", "max_wal_size", "48MB"));
                TestDatabase database = server.newDatabase();
                Baton baton = database.baton()) {
            database.execute("CREATE TABLE alert (k text PRIMARY KEY)");
            database.execute("CREATE TABLE busy (filler text)");
            Capture capture = baton.capture("lost").table("alert").start();
            CapturedLog.awaitRunning(database, "lost");
            baton.captures().pause("lost", "test");
            await().until(() ->
                    database.one("SELECT active FROM pg_replication_slots").equals("f"));
            fill(database, 45);
            await().atMost(Duration.ofSeconds(20)).until(() -> capture.health().warning() != null);
            assertThat(capture.health().warning()).contains("max_slot_wal_keep_size");
            fill(database, 90);
            database.execute("CHECKPOINT");
            await().until(() ->
                    database.one("SELECT wal_status FROM pg_replication_slots").equals("lost"));
            baton.captures().resume("lost", null);
            await().atMost(Duration.ofSeconds(20)).until(() -> capture.health().problem() != null);
            assertThat(capture.health().problem())
                    .contains("is lost: the server has removed WAL that it still needed", "baton captures drop lost");
            assertThat(database.one("SELECT state FROM baton.capture_status")).isEqualTo("lost");
            capture.close();
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> baton.captures().show("lost").reader() == null);

            // The documented way to go on.
            baton.captures().drop("lost", "its slot is lost");
            database.execute("INSERT INTO alert VALUES ('there')");
            baton.capture("lost").table("alert").existingRows().start();
            assertThat(new CapturedLog(database, "lost").awaitCount(1).rows("k"))
                    .containsExactly("read there there");
        }
    }

    private static void fill(TestDatabase database, int megabytes) throws Exception {
        database.execute("INSERT INTO busy SELECT repeat('x', 1000) FROM generate_series(1, " + megabytes * 1000 + ")");
        database.execute("CHECKPOINT");
    }
}
