package org.pgbaton.proofs.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgbaton.embedded.StopMode;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/**
 * The log gets each change once and in the order of the commits, while the process that reads is killed, frozen and cut off, and the
 * server crashes.
 */
class EachChangeOnceTest {
    @Test
    void throughCrashesOfReaderAndServer() throws Exception {
        run(1, 8_000);
    }

    @Test
    @Tag("heavy")
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void throughManyCrashesOfReaderAndServer() throws Exception {
        run(6, 60_000);
    }

    private static void run(int rounds, int changes) throws Exception {
        try (TestServer server = TestServer.start(Map.of());
                TestDatabase database = server.newDatabase()) {
            Alerts.createTable(database);
            JavaProcess[] readers = new JavaProcess[3];
            try {
                for (int i = 0; i < readers.length; i++) {
                    readers[i] = CaptureProgram.start(database, "reader-" + i);
                }
                CapturedLog.awaitRunning(database, CaptureProgram.CAPTURE);
                try (Alerts alerts = Alerts.start(database, 3)) {
                    for (int round = 0; round < rounds; round++) {
                        awaitProgress(database);
                        kill(database, readers);
                        awaitProgress(database);
                        freeze(database, readers);
                        awaitProgress(database);
                        database.execute(
                                "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE active");
                        awaitProgress(database);
                        server.postgres().stop(StopMode.IMMEDIATE);
                        server.postgres().start();
                        awaitProgress(database);
                    }
                    await().atMost(Duration.ofMinutes(5)).until(() -> alerts.changes() >= changes);
                }
                check(database);
            } finally {
                for (JavaProcess reader : readers) {
                    if (reader != null) {
                        reader.close();
                    }
                }
            }
        }
    }

    /** Before a term has begun, the view shows the holder of the lock under another name. */
    private static int owner(TestDatabase database) {
        String owner = await().until(
                        () -> database.one("SELECT owner FROM baton.capture_status"),
                        name -> name.startsWith("reader-"));
        return Integer.parseInt(owner.substring("reader-".length()));
    }

    private static void kill(TestDatabase database, JavaProcess[] readers) throws Exception {
        int owner = owner(database);
        readers[owner].kill();
        awaitProgress(database);
        readers[owner] = CaptureProgram.start(database, "reader-" + owner);
    }

    /** Another takes over; then the frozen one wakes up, and believes for a moment that it still reads. */
    private static void freeze(TestDatabase database, JavaProcess[] readers) throws Exception {
        int owner = owner(database);
        readers[owner].freeze();
        await().atMost(Duration.ofSeconds(30)).until(() -> owner(database) != owner);
        awaitProgress(database);
        readers[owner].thaw();
    }

    private static long captured(TestDatabase database) throws SQLException {
        return Long.parseLong(database.one("SELECT changes FROM baton.capture_status"));
    }

    private static void awaitProgress(TestDatabase database) throws SQLException {
        long before = captured(database);
        await().atMost(Duration.ofSeconds(60)).until(() -> captured(database) > before + 200);
    }

    private static void check(TestDatabase database) throws SQLException {
        String wanted = "SELECT a.id, g AS touched FROM alert a, generate_series(0, a.touched) g";
        String found =
                "SELECT (payload -> 'after' ->> 'id')::bigint AS id, (payload -> 'after' ->> 'touched')::integer AS touched, "
                        + "position, key, payload ->> 'lsn' AS lsn, payload -> 'after' ->> 'k' AS k FROM baton.changes";
        long expected = Long.parseLong(database.one("SELECT count(*) FROM (" + wanted + ") w"));
        assertThat(new CapturedLog(database, CaptureProgram.CAPTURE)
                        .awaitCount(expected, Duration.ofMinutes(2))
                        .count())
                .as("none twice")
                .isEqualTo(expected);
        assertThat(captured(database))
                .as("written once, and not refused by the log the second time")
                .isEqualTo(expected);
        assertThat(database.one("SELECT count(*) FROM (" + wanted + " EXCEPT SELECT id, touched FROM (" + found
                        + ") f) missing"))
                .as("lost")
                .isEqualTo("0");
        assertThat(database.one(
                        "SELECT count(*) FROM (SELECT lsn::pg_lsn < lag(lsn::pg_lsn) OVER (ORDER BY position) AS late FROM ("
                                + found + ") f) g WHERE late"))
                .as("not in the order of the commits")
                .isEqualTo("0");
        assertThat(database.one(
                        "SELECT count(*) FROM (SELECT touched <> coalesce(lag(touched) OVER (PARTITION BY id ORDER BY position) + 1, 0) "
                                + "AS wrong FROM (" + found + ") f) g WHERE wrong"))
                .as("changes of a row out of order")
                .isEqualTo("0");
        assertThat(database.one("SELECT count(*) FROM (" + found + ") f WHERE key <> k"))
                .isEqualTo("0");
    }
}
