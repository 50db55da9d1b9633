package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.embedded.PostgresServer;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code baton doctor}: what is wrong with a database, with a way out of each. The server of the tests has fsync off. */
@BatonTest
class DoctorTest {
    @Test
    void aHealthyDatabaseHasNothingToFix(@TempDir Path folder) {
        try (PostgresServer server = PostgresServer.in(folder).build().start()) {
            String url = server.jdbcUrl("postgres");
            Cli.baton("migrate").on(url).run().succeeds();

            Cli.Ended people = Cli.baton("doctor").on(url).run().succeeds();
            assertThat(people.out().lines().skip(1)).allMatch(line -> line.startsWith("ok     "));
            assertThat(people.err()).isEmpty();
        }
    }

    @Test
    void anErrorIsNamedWithItsFixAndMakesTheVerdictNegative(TestDatabase database) {
        Cli.Ended people = Cli.baton("doctor").on(database.url()).run();

        assertThat(people.code()).isEqualTo(1);
        assertThat(people.out())
                .startsWith("postgres://postgres@127.0.0.1:")
                .contains("\nERROR  fsync: off: ")
                .contains("\n         fix: Set fsync = on.\n")
                .contains("\nwarn   full_page_writes: off: ")
                .contains("\nok     version: PostgreSQL "
                        + database.server().postgres().majorVersion() + ".")
                .doesNotContain("fsync on");
        assertThat(people.err()).isEmpty();
    }

    @Test
    void programsGetTheSameAsJson(TestDatabase database) {
        Cli.Ended programs = Cli.baton("doctor", "--json").on(database.url()).run();

        assertThat(programs.code()).isEqualTo(1);
        assertThat(programs.err()).isEmpty();
        assertThat(finding(programs, "fsync").get("level").asString()).isEqualTo("error");
        assertThat(finding(programs, "schema").get("level").asString()).isEqualTo("ok");
        assertThat(findings(programs)).allSatisfy(each -> {
            assertThat(each.get("found").asString()).isNotBlank();
            assertThat(each.get("fix").isNull())
                    .as("no fix for %s", each)
                    .isEqualTo(each.get("level").asString().equals("ok"));
        });
    }

    @Test
    void aRoleThatSeesNothingLacksPrivileges(TestDatabase database) throws Exception {
        database.execute("CREATE ROLE doctor_blind LOGIN");

        assertLacksPrivileges(database, "doctor_blind");
    }

    @Test
    void aRoleThatMayOnlyLookLacksPrivileges(TestDatabase database) throws Exception {
        database.execute("""
                CREATE ROLE doctor_reader LOGIN;
                GRANT USAGE ON SCHEMA baton TO doctor_reader;
                GRANT SELECT ON ALL TABLES IN SCHEMA baton TO doctor_reader""");

        assertLacksPrivileges(database, "doctor_reader");
    }

    private static void assertLacksPrivileges(TestDatabase database, String role) {
        Cli.Ended programs = Cli.baton("doctor", "--json", "--database-url", database.urlFor(role))
                .run();

        assertThat(programs.code()).isEqualTo(1);
        JsonNode privileges = finding(programs, "privileges");
        assertThat(privileges.get("level").asString()).isEqualTo("error");
        assertThat(privileges.get("fix").asString())
                .contains("baton migrate --print-roles")
                .contains("GRANT baton_worker TO " + role);
    }

    @Test
    void aSchemaThatIsNotThereYetIsAWarningForThoseWhoMayMakeIt(TestDatabase database) throws Exception {
        assertSchemaLacksSteps("absent", database.url(), "warn");
        database.execute("CREATE SCHEMA empty");
        assertSchemaLacksSteps("empty", database.url(), "warn");

        database.execute("CREATE ROLE doctor_guest LOGIN");
        assertSchemaLacksSteps("absent", database.urlFor("doctor_guest"), "error");
        assertThat(database.one("SELECT to_regnamespace('absent')")).isEqualTo("null");
    }

    private static void assertSchemaLacksSteps(String schema, String url, String level) {
        Cli.Ended programs = Cli.baton("doctor", "--json", "--schema", schema, "--database-url", url)
                .run();

        assertThat(programs.code()).isEqualTo(1); // for fsync
        assertThat(programs.err()).isEmpty();
        assertThat(finding(programs, "schema").get("level").asString()).isEqualTo(level);
        assertThat(finding(programs, "schema").get("found").asString()).startsWith("'" + schema + "' lacks ");
        assertThat(finding(programs, "schema").get("fix").asString()).contains("baton migrate");
    }

    @Test
    void manyLanesNeedManyLocks(TestDatabase database) throws Exception {
        database.execute("SELECT baton.create_log('wide', 512)");

        JsonNode budget = finding(json(database), "lock budget");
        assertThat(budget.get("level").asString()).isEqualTo("warn");
        assertThat(budget.get("found").asString()).containsPattern("connections × 512 lanes = \\d+");
        assertThat(budget.get("fix").asString()).contains("max_locks_per_transaction (1024 ");
    }

    @Test
    void aSequenceThatWasSetBackIsAnErrorWithTheStatementThatRepairsIt(TestDatabase database) throws Exception {
        database.execute("INSERT INTO baton.events (payload) SELECT '{}' FROM generate_series(1, 10)");
        database.execute("SELECT setval('baton.events_position', 3)");

        JsonNode positions = finding(json(database), "positions");
        assertThat(positions.get("level").asString()).isEqualTo("error");
        assertThat(positions.get("found").asString()).contains("log 'events' is at 3, but position 10 ");
        assertThat(positions.get("fix").asString()).contains("SELECT setval('baton.events_position', 10)");
    }

    @Test
    void whatSomebodyChangedOfALogIsAnErrorWithTheStatementThatRepairsIt(TestDatabase database) throws Exception {
        assertThat(finding(json(database), "logs").get("level").asString()).isEqualTo("ok");
        database.execute("ALTER SEQUENCE baton.events_position CACHE 20");

        JsonNode logs = finding(json(database), "logs");
        assertThat(logs.get("level").asString()).isEqualTo("error");
        assertThat(logs.get("found").asString()).contains("log 'events': ").contains("CACHE 20");
        assertThat(logs.get("fix").asString()).contains("ALTER SEQUENCE baton.events_position CACHE 1 ");

        database.execute("ALTER SEQUENCE baton.events_position CACHE 1;"
                + "ALTER TABLE baton.outbox ENABLE ROW LEVEL SECURITY; DROP INDEX baton.events_lane");
        assertThat(json(database).toString())
                .contains("log 'events': baton.events has no valid index on (lane, position)")
                .contains("log 'outbox': row security is on");
    }

    @Test
    void aTransactionThatWroteLongAgoAndIsStillOpenIsNamed(TestDatabase database) throws Exception {
        // A minute does not pass in a test: an older one is pretended, at the place where the doctor looks.
        database.execute("""
                CREATE OR REPLACE VIEW baton.log_writers AS
                SELECT 'events' AS log, 3 AS lane, 4711 AS pid, '1/1' AS virtualtransaction, 'importer' AS application_name,
                       NULL::name AS usename, NULL::inet AS client_addr, 'idle in transaction' AS state, NULL::timestamptz AS xact_start,
                       interval '5 minutes' AS age""");

        JsonNode writers = finding(json(database), "open writers");
        assertThat(writers.get("level").asString()).isEqualTo("warn");
        assertThat(writers.get("found").asString())
                .isEqualTo(
                        "log 'events' waits for importer (process 4711, idle in transaction, open for 00:05:00) in 1 lane");
    }

    @Test
    void whatStoppedOrIsParkedOrForgottenIsAWarning(TestDatabase database) throws Exception {
        try (Shop shop = Shop.open(database)) {
            shop.park("P7", 1);
        }
        database.execute("UPDATE baton.subscription SET state = 'stopped', note = 'no table'");
        Shop.append(database, "P8", "{}");

        Cli.Ended programs = json(database);
        assertThat(finding(programs, "parked keys").get("level").asString()).isEqualTo("warn");
        assertThat(finding(programs, "parked keys").get("found").asString()).isEqualTo("1 of 'balances'");
        assertThat(findings(programs).stream()
                        .filter(each -> each.get("check").asString().equals("subscriptions"))
                        .map(each -> each.get("found").asString()))
                .satisfiesExactly(
                        stopped -> assertThat(stopped).isEqualTo("'balances' is stopped: no table"),
                        left -> assertThat(left).matches("nobody runs 'balances' \\(\\d+ positions behind\\)"));
    }

    @Test
    void eachPurposeNeedsItsOwnRightsAndNoMoreIsAdvised(TestDatabase database) throws Exception {
        database.execute(Cli.baton("migrate", "--print-roles").run().succeeds().out());
        database.execute("""
                CREATE ROLE doctor_nobody LOGIN;
                CREATE ROLE doctor_append LOGIN; GRANT baton_append TO doctor_append;
                CREATE ROLE doctor_read LOGIN; GRANT baton_read TO doctor_read;
                CREATE ROLE doctor_worker LOGIN; GRANT baton_worker TO doctor_worker""");

        for (String purpose : new String[] {"append", "read", "worker"}) {
            Cli.Ended allowed = doctor(database, "doctor_" + purpose, purpose);
            assertThat(finding(allowed, "privileges").get("level").asString())
                    .as("%s in %s", purpose, allowed)
                    .isEqualTo("ok");
            String advice = doctor(database, "doctor_nobody", purpose).out();
            assertThat(advice)
                    .contains("GRANT baton_" + purpose + " TO doctor_nobody")
                    .doesNotContain("REPLICATION");
            for (String other : new String[] {"append", "read", "worker", "owner"}) {
                assertThat(advice.contains("baton_" + other + " TO ")).isEqualTo(other.equals(purpose));
            }
        }
        assertThat(finding(doctor(database, "doctor_append", "worker"), "privileges")
                        .get("level")
                        .asString())
                .isEqualTo("error");

        assertThat(finding(doctor(database, "doctor_worker", "worker"), "replication")
                        .get("level")
                        .asString())
                .isEqualTo("ok");
        JsonNode lacking = finding(doctor(database, "doctor_worker", "capture"), "replication");
        assertThat(lacking.get("level").asString()).isEqualTo("error");
        assertThat(lacking.get("fix").asString()).contains("ALTER ROLE doctor_worker REPLICATION");
    }

    private static Cli.Ended doctor(TestDatabase database, String role, String purpose) {
        return Cli.baton("doctor", "--json", "--for", purpose, "--database-url", database.urlFor(role))
                .run();
    }

    @Test
    void aLogWithoutRetentionIsMentionedOnceItIsUsed(TestDatabase database) throws Exception {
        assertThat(finding(json(database), "retention").get("level").asString()).isEqualTo("ok");
        Shop.append(database, "P7", "{}");

        JsonNode retention = finding(json(database), "retention");
        assertThat(retention.get("level").asString()).isEqualTo("warn");
        assertThat(retention.get("found").asString()).startsWith("'events' keeps its messages for ever");

        database.execute("UPDATE baton.log SET retention = '30 days'");
        assertThat(finding(json(database), "retention").get("level").asString()).isEqualTo("ok");
    }

    private static Cli.Ended json(TestDatabase database) {
        return Cli.baton("doctor", "--json").on(database.url()).run();
    }

    private static List<JsonNode> findings(Cli.Ended programs) {
        JsonNode all = JsonMapper.shared().readTree(programs.out()).get("findings");
        return StreamSupport.stream(all.spliterator(), false).toList();
    }

    private static JsonNode finding(Cli.Ended programs, String check) {
        return findings(programs).stream()
                .filter(each -> each.get("check").asString().equals(check))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no finding about " + check + " in " + programs));
    }
}
