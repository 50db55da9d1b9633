package org.pgbaton.proofs.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.pgbaton.proofs.capture.CapturedLog.awaitRunning;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.Baton;
import org.pgbaton.embedded.PostgresServer;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/** Existing rows are sent among the changes. No row is left out, and no row comes after a newer state of itself. */
@BatonTest
class ExistingRowsTest {
    @Test
    void allOfThemInChunks(TestDatabase database) throws Exception {
        database.execute(
                "CREATE TABLE alert (a integer, b text, ok boolean, at timestamptz, tags text[], PRIMARY KEY (b, a))");
        database.execute(
                "INSERT INTO alert SELECT g, 'b' || g % 7, g % 2 = 0, now(), ARRAY['x', 'y'] FROM generate_series(1, 2500) g");
        database.execute("ANALYZE alert");
        try (Baton baton = database.baton()) {
            baton.capture("er_all").table("alert").existingRows().start();
            CapturedLog log = new CapturedLog(database, "er_all").awaitCount(2500);
            assertThat(database.one(
                            "SELECT count(DISTINCT key) FROM baton.er_all WHERE payload ->> 'operation' = 'read'"))
                    .isEqualTo("2500");
            database.execute("INSERT INTO alert SELECT 0, b, ok, at, tags FROM alert WHERE a = 1000");
            log.awaitCount(2501);
            String read = database.one("SELECT payload ->> 'after' FROM baton.er_all WHERE key = '[\"b6\",\"1000\"]'");
            String inserted = database.one("SELECT payload ->> 'after' FROM baton.er_all WHERE key = '[\"b6\",\"0\"]'");
            assertThat(inserted)
                    .isEqualTo(read.replace("\"a\":1000", "\"a\":0"))
                    .contains("\"ok\":true", "[\"x\",\"y\"]");
            assertThat(baton.captures().snapshots("er_all")).singleElement().satisfies(status -> {
                assertThat(status.sent()).isEqualTo(2500);
                assertThat(status.estimated()).isEqualTo(2500);
                assertThat(status.doneAt()).isNotNull();
            });
        }
    }

    /**
     * A transaction can come through the stream before other sessions see it. A chunk that is read then shows the old
     * rows.
     */
    @Test
    void neverOlderThanAChange(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k integer PRIMARY KEY, n integer NOT NULL DEFAULT 0)");
        database.execute("INSERT INTO alert SELECT generate_series(1, 4000)");
        try (Baton baton = database.baton()) {
            baton.capture("er_never").table("alert").start();
            awaitRunning(database, "er_never");
            Thread writer = new Thread(() -> write(database));
            writer.start();
            for (int round = 1; round <= 2; round++) {
                baton.captures().snapshot("er_never", "again");
                int wanted = round;
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> baton.captures().snapshots("er_never").stream()
                                        .filter(each -> each.doneAt() != null)
                                        .count()
                                == wanted);
            }
            writer.interrupt();
            writer.join();
            String state =
                    "SELECT (payload -> 'after' ->> 'k')::integer AS k, (payload -> 'after' ->> 'n')::integer AS n, "
                            + "payload ->> 'operation' AS operation, position FROM baton.er_never";
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> database.one("SELECT count(*) FROM alert a WHERE NOT EXISTS (SELECT FROM (" + state
                                    + ") s WHERE s.k = a.k AND s.n = a.n)")
                            .equals("0"));
            assertThat(database.one(
                            "SELECT count(*) FROM (SELECT n < max(n) OVER (PARTITION BY k ORDER BY position) AS older FROM ("
                                    + state + ") s) o WHERE older"))
                    .as("states that follow a newer one")
                    .isEqualTo("0");
            assertThat(Long.parseLong(
                            database.one("SELECT count(*) FROM (" + state + ") s WHERE operation = 'update'")))
                    .isGreaterThan(100);
        }
    }

    /**
     * The same, forced: a commit that waits for a synchronous standby has come through the stream, and no other session
     * sees it yet.
     */
    @Test
    void aChunkThatDoesNotSeeWhatHasPassedIsReadAgain(@TempDir Path folder) throws Exception {
        try (TestServer server = TestServer.start(Map.of());
                TestDatabase database = server.newDatabase();
                PostgresServer standby = server.postgres().replica(folder.resolve("standby"))) {
            database.execute("CREATE TABLE alert (k integer PRIMARY KEY, n integer NOT NULL DEFAULT 0)");
            database.execute("INSERT INTO alert SELECT generate_series(1, 40000)");
            setSynchronousStandby(database, "standby");
            try (Connection there = DriverManager.getConnection(standby.jdbcUrl(database.name()));
                    Statement pause = there.createStatement();
                    Connection writer = database.connect();
                    Baton baton = database.baton()) {
                baton.capture("er_again").table("alert").start();
                awaitRunning(database, "er_again");
                baton.captures().snapshot("er_again", "all of it");
                await().until(() ->
                        !database.one("SELECT count(*) FROM baton.er_again").equals("0"));
                pause.execute("SELECT pg_wal_replay_pause()");
                Thread update = new Thread(() -> updateAndAwaitStandby(writer));
                update.start();
                await().until(() -> database.one(
                                "SELECT count(*) FROM baton.er_again WHERE payload ->> 'operation' = 'update'")
                        .equals("1"));
                assertThat(database.one("SELECT n FROM alert WHERE k = 40000"))
                        .as("nobody sees it")
                        .isEqualTo("0");
                await("nothing but what was on its way follows")
                        .during(Duration.ofSeconds(1))
                        .until(() -> database.one(
                                        "SELECT count(*) <= 1000 FROM baton.er_again WHERE payload ->> 'operation' = 'read' AND position > "
                                                + "(SELECT position FROM baton.er_again WHERE payload ->> 'operation' = 'update')")
                                .equals("t"));
                pause.execute("SELECT pg_wal_replay_resume()");
                update.join();
                await().atMost(Duration.ofSeconds(60)).until(() -> isSent(baton));
                assertThat(
                                database.one(
                                        "SELECT string_agg(payload -> 'after' ->> 'n', ' ' ORDER BY position) FROM baton.er_again WHERE key = '40000'"))
                        .isEqualTo("1 1");
            } finally {
                setSynchronousStandby(database, ""); // otherwise the database could not be dropped without the standby
            }
        }
    }

    private static void setSynchronousStandby(TestDatabase database, String name) throws SQLException {
        database.execute("ALTER SYSTEM SET synchronous_standby_names = '" + name + "'");
        database.execute("SELECT pg_reload_conf()");
    }

    private static boolean isSent(Baton baton) {
        return baton.captures().snapshots("er_again").get(0).doneAt() != null;
    }

    private static void updateAndAwaitStandby(Connection connection) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET synchronous_commit = remote_apply");
            statement.execute("UPDATE alert SET n = 1 WHERE k = 40000");
        } catch (SQLException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }

    private static void write(TestDatabase database) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            while (!Thread.currentThread().isInterrupted()) {
                statement.execute(
                        "UPDATE alert SET n = n + 1 WHERE k IN (SELECT (random() * 4000)::integer FROM generate_series(1, 20))");
                Thread.sleep(2); // otherwise the writer would be far ahead of any reader
            }
        } catch (InterruptedException ended) {
            // as expected
        } catch (SQLException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }

    @Test
    void theNextReaderGoesOnWhereTheLastOneDied(TestDatabase database) throws Exception {
        Alerts.createTable(database);
        database.execute("INSERT INTO alert (k) SELECT 'k' FROM generate_series(1, 20000)");
        try (JavaProcess first = CaptureProgram.start(database, "reader-0");
                Baton baton = database.baton("operator")) {
            awaitRunning(database, CaptureProgram.CAPTURE);
            CapturedLog log = new CapturedLog(database, CaptureProgram.CAPTURE);
            try (Barrier barrier = new Barrier(database, CaptureProgram.CAPTURE, 10_000)) {
                assertThat(baton.captures().snapshot(CaptureProgram.CAPTURE, "all of it"))
                        .isEqualTo(1);
                barrier.awaitSomebody();
                first.kill();
            }
            assertThat(log.count()).isBetween(1L, 10_000L);
            try (JavaProcess second = CaptureProgram.start(database, "reader-1")) {
                log.awaitCount(20000);
                assertThat(second.isAlive()).isTrue();
                await().until(() -> baton.captures()
                                .snapshots(CaptureProgram.CAPTURE)
                                .get(0)
                                .doneAt()
                        != null);
            }
            assertThat(database.one(
                            "SELECT count(*) || ' ' || count(DISTINCT payload -> 'after' ->> 'id') FROM baton.changes"))
                    .isEqualTo("20000 20000");
        }
    }
}
