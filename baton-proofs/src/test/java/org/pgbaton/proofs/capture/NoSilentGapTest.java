package org.pgbaton.proofs.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.capture.Capture;
import org.pgbaton.capture.CaptureGap;
import org.pgbaton.capture.CapturedTable;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * If changes to the tables or the publication keep row changes out of the log, a gap is reported, with its bounds in
 * the WAL and in time.
 */
@BatonTest
class NoSilentGapTest {
    /** The test does not wait after {@code start}. */
    @Test
    void everythingIsCapturedFromTheMomentThatStartReturns(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k integer PRIMARY KEY)");
        try (Baton baton = database.baton()) {
            Capture capture = baton.capture("sg_start").table("alert").start();
            for (int i = 0; i < 100; i++) {
                database.execute("INSERT INTO alert VALUES (" + i + ")");
            }
            database.execute("INSERT INTO alert VALUES (100)");
            assertThat(new CapturedLog(database, "sg_start").awaitCount(101).count())
                    .isEqualTo(101);
            assertThat(capture.health().isHealthy()).isTrue();
        }
    }

    @Test
    void aTableThatWasReplaced(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k integer PRIMARY KEY)");
        try (Baton baton = database.baton()) {
            Capture capture = baton.capture("sg_table").table("alert").start();
            String before = place(database);
            database.execute("CREATE TABLE newer (LIKE alert INCLUDING ALL); DROP TABLE alert; "
                    + "ALTER TABLE newer RENAME TO alert; INSERT INTO alert VALUES (1)");
            CaptureGap gap = gapOf(baton, "sg_table");
            assertThat(gap.table()).isEqualTo("public.alert");
            assertThat(gap.what()).contains("replaced");
            assertBounds(database, before, gap);
            assertIsToldAndGoesOn(database, baton, capture, "INSERT INTO alert VALUES (2)", "insert 2 2");
        }
    }

    @Test
    void aPublicationThatWasNarrowed(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k integer PRIMARY KEY, n integer)");
        try (Baton baton = database.baton()) {
            Capture capture = baton.capture("sg_narrow").table("alert").start();
            String before = place(database);
            database.execute("ALTER PUBLICATION baton_sg_narrow SET (publish = 'insert')");
            database.execute("INSERT INTO alert VALUES (1, 1)");
            database.execute("UPDATE alert SET n = 2");
            CaptureGap gap = gapOf(baton, "sg_narrow");
            assertThat(gap.table()).isNull();
            assertThat(gap.what()).contains("did not send update, delete, truncate");
            assertBounds(database, before, gap);
            assertIsToldAndGoesOn(database, baton, capture, "UPDATE alert SET n = 3", "update 1 3");
        }
    }

    @Test
    void aTableThatWasTakenOutOfThePublication(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k integer PRIMARY KEY, n integer)");
        database.execute("CREATE TABLE other (k integer PRIMARY KEY)");
        try (Baton baton = database.baton()) {
            Capture capture =
                    baton.capture("sg_out").table("alert").table("other").start();
            String before = place(database);
            database.execute("ALTER PUBLICATION baton_sg_out DROP TABLE alert");
            database.execute("INSERT INTO alert VALUES (1, 1)");
            CaptureGap gap = gapOf(baton, "sg_out");
            assertThat(gap.table()).isEqualTo("public.alert");
            assertThat(gap.what()).contains("did not contain it");
            assertBounds(database, before, gap);
            assertIsToldAndGoesOn(database, baton, capture, "INSERT INTO alert VALUES (2, 2)", "insert 2 2");
        }
    }

    @Test
    void aRowFilterAndAListOfColumns(TestDatabase database) throws Exception {
        assumeTrue(
                database.server().postgres().majorVersion() >= 15,
                "row filters and lists of columns came with PostgreSQL 15");
        database.execute("CREATE TABLE alert (k integer PRIMARY KEY, n integer, note text)");
        try (Baton baton = database.baton()) {
            Capture capture = baton.capture("sg_filter").table("alert").start();
            database.execute("ALTER PUBLICATION baton_sg_filter SET TABLE alert WHERE (k > 10)");
            assertThat(gapOf(baton, "sg_filter").what()).contains("had another row filter: (k > 10) instead of none");
            baton.captures().settle("sg_filter", "no matter");
            database.execute("ALTER PUBLICATION baton_sg_filter SET TABLE alert (k, n)");
            assertThat(gapOf(baton, "sg_filter").what()).contains("another list of columns");
            assertIsToldAndGoesOn(database, baton, capture, "INSERT INTO alert VALUES (2, 2)", "insert 2 2");
        }
    }

    @Test
    void lessIsToldOfOldRows(TestDatabase database) throws Exception {
        database.execute(
                "CREATE TABLE alert (k integer PRIMARY KEY, n integer); ALTER TABLE alert REPLICA IDENTITY FULL");
        try (Baton baton = database.baton()) {
            baton.capture("sg_identity").table("alert").start();
            database.execute("ALTER TABLE alert REPLICA IDENTITY DEFAULT");
            CaptureGap gap = gapOf(baton, "sg_identity");
            assertThat(gap.table()).isEqualTo("public.alert");
            assertThat(gap.what()).contains("replica identity was changed from FULL to DEFAULT");
        }
    }

    /** PostgreSQL does not send this TRUNCATE, as its documentation says. */
    @Test
    void aPartitionThatWasTruncatedByItself(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k integer PRIMARY KEY, n integer) PARTITION BY RANGE (k); "
                + "CREATE TABLE alert_low PARTITION OF alert FOR VALUES FROM (0) TO (10); "
                + "CREATE TABLE alert_high PARTITION OF alert FOR VALUES FROM (10) TO (20)");
        try (Baton baton = database.baton()) {
            Capture capture = baton.capture("sg_leaf").table("alert").start();
            CapturedLog log = new CapturedLog(database, "sg_leaf");
            database.execute("INSERT INTO alert VALUES (1, 1), (11, 11)");
            database.execute("TRUNCATE alert");
            log.awaitCount(2 + 16);
            database.execute("INSERT INTO alert VALUES (1, 1), (11, 11)");
            log.awaitCount(4 + 16);
            String before = place(database);
            // The reader looks once a second. A gap for the TRUNCATE above would be recorded before this one.
            database.execute("TRUNCATE alert_low");
            CaptureGap gap = gapOf(baton, "sg_leaf");
            assertThat(gap.table()).isEqualTo("public.alert_low");
            assertThat(gap.what()).contains("the partition was truncated");
            assertThat(baton.captures().gaps("sg_leaf"))
                    .as("the TRUNCATE of the whole is in the log")
                    .hasSize(1);
            assertBounds(database, before, gap);
            assertIsToldAndGoesOn(database, baton, capture, "INSERT INTO alert VALUES (2, 2)", "insert 2 2");
        }
    }

    @Test
    void whatHappenedWhileNobodyRan(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k integer PRIMARY KEY, n integer)");
        try (Baton baton = database.baton()) {
            baton.capture("sg_away").table("alert").start();
        }
        database.execute("ALTER PUBLICATION baton_sg_away SET (publish = 'update')");
        database.execute("INSERT INTO alert VALUES (1, 1)");
        try (Baton baton = database.baton()) {
            Capture capture = baton.capture("sg_away").table("alert").start();
            assertThat(gapOf(baton, "sg_away").what()).contains("did not send insert, delete, truncate");
            assertIsToldAndGoesOn(database, baton, capture, "UPDATE alert SET n = 3", "update 1 3");
        }
    }

    /**
     * Baton cannot repair this publication. The gap and the message about it remain until the owner has repaired it.
     */
    @Test
    void somebodyElsesPublication(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k integer PRIMARY KEY); CREATE PUBLICATION theirs FOR TABLE alert");
        try (Baton baton = database.baton()) {
            Capture capture = baton.capture("sg_theirs")
                    .table("alert")
                    .publication("theirs")
                    .start();
            database.execute("ALTER PUBLICATION theirs DROP TABLE alert");
            await().atMost(Duration.ofSeconds(30)).until(() -> capture.health().problem() != null);
            assertThat(capture.health().problem()).contains("does not contain public.alert");
            assertThat(baton.captures().gaps("sg_theirs"))
                    .singleElement()
                    .satisfies(gap -> assertThat(gap.toLsn()).as("goes on").isNull());
            assertThat(baton.captures().settle("sg_theirs", "too early")).isZero();
            database.execute("ALTER PUBLICATION theirs ADD TABLE alert");
            await().atMost(Duration.ofSeconds(30)).until(() -> capture.health().problem() == null);
            assertThat(gapOf(baton, "sg_theirs").toLsn()).isNotNull();
        }
    }

    /** A change that the capture makes itself, because its configuration has changed, is no gap. */
    @Test
    void anotherConfigurationIsNoGap(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k integer PRIMARY KEY); CREATE TABLE other (k integer PRIMARY KEY)");
        try (Baton baton = database.baton()) {
            baton.capture("sg_config").table("alert").start();
        }
        try (Baton baton = database.baton()) {
            Capture capture = baton.capture("sg_config")
                    .table(CapturedTable.named("other"))
                    .start();
            await().until(() -> database.one("SELECT count(*) FROM pg_publication_tables WHERE tablename = 'other'")
                    .equals("1"));
            database.execute("INSERT INTO other VALUES (1)");
            new CapturedLog(database, "sg_config").awaitCount(1);
            assertThat(baton.captures().gaps("sg_config")).isEmpty();
            assertThat(capture.health().isHealthy()).isTrue();
        }
    }

    private static String place(TestDatabase database) throws SQLException {
        return database.one("SELECT pg_current_wal_insert_lsn()");
    }

    private static CaptureGap gapOf(Baton baton, String capture) {
        return await().atMost(Duration.ofSeconds(30))
                .until(
                        () -> baton.captures().gaps(capture).stream()
                                .filter(gap -> gap.isOpen() && gap.toLsn() != null)
                                .toList(),
                        found -> !found.isEmpty())
                .get(0);
    }

    /**
     * The lower bound is at most one look before the cause, and the upper bound is a place that the WAL has reached.
     */
    private static void assertBounds(TestDatabase database, String before, CaptureGap gap) throws SQLException {
        assertThat(gap.fromLsn()).isNotNull();
        assertThat(gap.toLsn()).isNotNull();
        assertThat(database.one(
                        "SELECT ?::pg_lsn <= pg_current_wal_insert_lsn() AND ?::pg_lsn > ?::pg_lsn AND ?::pg_lsn < ?::pg_lsn",
                        gap.toLsn(),
                        gap.toLsn(),
                        before,
                        gap.fromLsn(),
                        gap.toLsn()))
                .as(gap.sentence())
                .isEqualTo("t");
    }

    /** Health and status show the gap until somebody settles it. Everything after the gap is captured meanwhile. */
    private static void assertIsToldAndGoesOn(
            TestDatabase database, Baton baton, Capture capture, String sql, String last) throws SQLException {
        String name = capture.name();
        await().atMost(Duration.ofSeconds(30)).until(() -> capture.health().warning() != null);
        assertThat(capture.health().isHealthy()).isFalse();
        assertThat(capture.health().warning())
                .contains("may be missing from the log of capture '" + name + "'", "baton captures snapshot " + name);
        assertThat(baton.captures().show(name).gaps()).isEqualTo(1);
        database.execute(sql);
        CapturedLog log = new CapturedLog(database, name);
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            List<String> rows = log.rows(
                    database.one("SELECT count(*) FROM information_schema.columns "
                                            + "WHERE table_name = 'alert' AND column_name = 'n'")
                                    .equals("1")
                            ? "n"
                            : "k");
            return !rows.isEmpty() && rows.get(rows.size() - 1).equals(last);
        });
        assertThat(baton.captures().settle(name, "rows were sent again")).isEqualTo(1);
        await().atMost(Duration.ofSeconds(30)).until(() -> capture.health().isHealthy());
        assertThat(database.one("SELECT what || ': ' || reason FROM baton.action ORDER BY id DESC LIMIT 1"))
                .isEqualTo("settle gaps: rows were sent again");
    }
}
