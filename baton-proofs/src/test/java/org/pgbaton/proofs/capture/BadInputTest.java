package org.pgbaton.proofs.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.capture.Capture;
import org.pgbaton.capture.CaptureBuilder;
import org.pgbaton.capture.CaptureException;
import org.pgbaton.capture.CapturedOperation;
import org.pgbaton.capture.CapturedTable;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/** Wrong input gives one sentence that says what was wrong, where, and what to do. */
@BatonTest
class BadInputTest {
    @Test
    void tablesThatCannotBeCaptured(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k text PRIMARY KEY, n integer, note text)");
        database.execute("CREATE VIEW seen AS SELECT * FROM alert");
        database.execute("CREATE UNLOGGED TABLE scratch (k text PRIMARY KEY)");
        database.execute("CREATE TABLE bare (k text)");
        try (Baton baton = database.baton()) {
            refused(baton.capture("bi").table("public.alrt"), "there is no table public.alrt");
            refused(baton.capture("bi").table("a.b.c.d"), "cannot be the name of a table");
            refused(baton.capture("bi").table("seen"), "public.seen is a view");
            refused(baton.capture("bi").table("scratch"), "is unlogged or temporary");
            refused(baton.capture("bi").table("bare"), "has no primary key");
            refused(
                    baton.capture("bi").table("bare").key("k"),
                    "would refuse the application's own UPDATE and DELETE",
                    "REPLICA IDENTITY FULL");
            refused(baton.capture("bi").table("baton.events"), "is a table of Baton's own");
            refused(baton.capture("bi").table("alert").key("nope"), "has no column 'nope': it has k, n, note");
            refused(baton.capture("bi").table("alert").key("n"), "does not tell the column 'n' of a deleted row");
            refused(baton.capture("bi"), "has nothing to capture");
            assertThatThrownBy(() -> baton.capture("No Such Name"))
                    .hasMessageContaining("cannot be the name of a capture");
            assertThat(database.one("SELECT count(*) FROM pg_publication")).isEqualTo("0");
            baton.capture("bi_bare")
                    .table("bare")
                    .key("k")
                    .operations(CapturedOperation.INSERT)
                    .start();
        }
    }

    private static void refused(CaptureBuilder builder, String... parts) {
        assertThatThrownBy(builder::start).isInstanceOf(CaptureException.class).hasMessageContainingAll(parts);
    }

    @Test
    void namesWithQuotesAreOnlyNames(TestDatabase database) throws Exception {
        String odd = "\"a\"\"; DROP TABLE victim; --'\"";
        database.execute("CREATE TABLE victim (k text)");
        database.execute("CREATE TABLE " + odd + " (\"k'; --\" text PRIMARY KEY, \"b\"\"x\" integer)");
        try (Baton baton = database.baton()) {
            baton.capture("bi_quotes").table(odd).existingRows().start();
            CapturedLog.awaitRunning(database, "bi_quotes");
            database.execute("INSERT INTO " + odd + " VALUES ('x', 1)");
            CapturedLog log = new CapturedLog(database, "bi_quotes").awaitCount(1);
            assertThat(log.payloads().get(0)).contains("\"k'; --\":\"x\",\"b\\\"x\":1");
            assertThat(database.one("SELECT count(*) FROM victim")).isEqualTo("0");
        }
    }

    @Test
    void publicationsOfOthers(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k text PRIMARY KEY)");
        database.execute("CREATE TABLE other (k text PRIMARY KEY)");
        database.execute("CREATE PUBLICATION everything FOR ALL TABLES");
        database.execute("CREATE PUBLICATION narrow FOR TABLE other WITH (publish = 'insert')");
        database.execute("CREATE PUBLICATION baton_bi_taken FOR TABLE other");
        try (Baton baton = database.baton()) {
            stops(baton.capture("bi_all").table("alert").publication("everything"), "a log of Baton's own");
            stops(baton.capture("bi_narrow").table("alert").publication("narrow"), "does not contain public.alert");
            stops(baton.capture("bi_ops").table("other").publication("narrow"), "does not publish update");
            refused(baton.capture("bi_none").table("other").publication("nope"), "there is no publication 'nope'");
            stops(baton.capture("bi_none").table("other").publication("nope"), "there is no publication 'nope'");
            stops(baton.capture("bi_taken").table("other"), "which this capture did not make");
            database.execute("SELECT pg_create_logical_replication_slot('baton_bi_slot', 'pgoutput')");
            stops(baton.capture("bi_slot").table("alert"), "there is a replication slot 'baton_bi_slot' already");
        }
    }

    /** The mistake is found when a process leads; health has the sentence. */
    private static void stops(CaptureBuilder builder, String part) {
        try (Capture capture = builder.startWithoutWaiting()) {
            await().atMost(Duration.ofSeconds(20)).until(() -> capture.health().problem() != null);
            assertThat(capture.health().problem()).contains(part);
        }
    }

    @Test
    void rowFiltersWhereTheServerHasThem(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k text PRIMARY KEY, n integer)");
        boolean filters = database.server().postgres().majorVersion() >= 15;
        try (Baton baton = database.baton()) {
            CapturedTable filtered = CapturedTable.named("alert").where("n > 10");
            if (!filters) {
                stops(
                        baton.capture("bi_filter").table(filtered).operations(CapturedOperation.INSERT),
                        "row filters need PostgreSQL 15");
                return;
            }
            stops(baton.capture("bi_identity").table(filtered), "looks at 'n', which is not in its replica identity");
            baton.capture("bi_filter")
                    .table(filtered)
                    .operations(CapturedOperation.INSERT)
                    .start();
            CapturedLog.awaitRunning(database, "bi_filter");
            database.execute("INSERT INTO alert VALUES ('a', 1), ('b', 11)");
            assertThat(new CapturedLog(database, "bi_filter").awaitCount(1).rows("n"))
                    .containsExactly("insert b 11");
        }
        assertThatThrownBy(() -> CapturedTable.named("alert").where("true); DROP TABLE alert; --"))
                .hasMessageContaining("has a semicolon");
    }

    @Test
    void roles(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k text PRIMARY KEY)");
        database.execute("CREATE ROLE bi_plain LOGIN");
        try {
            database.execute(
                    "GRANT ALL ON SCHEMA baton TO bi_plain; GRANT ALL ON ALL TABLES IN SCHEMA baton TO bi_plain; "
                            + "GRANT ALL ON ALL SEQUENCES IN SCHEMA baton TO bi_plain; GRANT SELECT ON alert TO bi_plain; "
                            + "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA baton TO bi_plain");
            try (Baton owner = database.baton()) {
                owner.logs().create("bi_roles");
            }
            database.execute("GRANT ALL ON ALL TABLES IN SCHEMA baton TO bi_plain");
            try (Baton baton =
                    Baton.builder(database.urlFor("bi_plain")).migrate(false).open()) {
                stops(baton.capture("bi_roles").table("alert"), "may not make the publication");
                database.execute("CREATE PUBLICATION granted FOR TABLE alert");
                stops(
                        baton.capture("bi_replicate")
                                .into("bi_roles")
                                .table("alert")
                                .publication("granted"),
                        "may not replicate");
            }
        } finally {
            database.execute("DROP OWNED BY bi_plain; DROP ROLE bi_plain");
        }
    }

    @Test
    void aServerThatDoesNotWriteWhatIsNeeded() throws Exception {
        try (TestServer server = TestServer.start(Map.of("wal_level", "replica"));
                TestDatabase database = server.newDatabase();
                Baton baton = database.baton()) {
            database.execute("CREATE TABLE alert (k text PRIMARY KEY)");
            refused(baton.capture("bi_level").table("alert"), "needs wal_level = logical, and this server has replica");
        }
    }
}
