package org.pgbaton.proofs.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.pgbaton.proofs.capture.CapturedLog.awaitRunning;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/** Rows that were there before are sent in between the changes: none is left out, and none after a newer state of it. */
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

    /** A transaction that is in the WAL and passes here, before others can see it, is as old as it looks only to the chunk. */
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
            await().until(() -> database.one("SELECT count(*) FROM alert a WHERE NOT EXISTS (SELECT FROM (" + state
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

    private static void write(TestDatabase database) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            while (!Thread.currentThread().isInterrupted()) {
                statement.execute(
                        "UPDATE alert SET n = n + 1 WHERE k IN (SELECT (random() * 4000)::integer FROM generate_series(1, 20))");
            }
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
            assertThat(baton.captures().snapshot(CaptureProgram.CAPTURE, "all of it"))
                    .isEqualTo(1);
            CapturedLog log = new CapturedLog(database, CaptureProgram.CAPTURE).awaitCount(3000);
            first.kill();
            long then = log.count();
            assertThat(then).isLessThan(20000);
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
