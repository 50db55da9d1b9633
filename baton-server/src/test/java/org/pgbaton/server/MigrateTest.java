package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code baton migrate} makes the schema, once; or prints the scripts for those who want to do it themselves. */
@BatonTest
class MigrateTest {
    @Test
    void theSchemaIsMadeOnceAndThenUpToDate(TestDatabase database) {
        Cli.Run migrate = Cli.baton("migrate", "--schema", "other").on(database.url());

        Cli.Ended first = migrate.run().succeeds();
        assertThat(first.out()).startsWith("applied 1 leadership\n");
        assertThat(first.err()).isEmpty();

        Cli.Ended second = migrate.run().succeeds();
        assertThat(second.out()).isEmpty();
        assertThat(second.err()).isEqualTo("Schema 'other' is up to date.\n");

        Cli.baton("lead", "job", "--schema", "other", "--no-migrate", "--", "true")
                .on(database.url())
                .run()
                .succeeds();
    }

    @Test
    void aDryRunOnlySaysWhatItWouldDo(TestDatabase database) throws Exception {
        Cli.Ended dry = Cli.baton("migrate", "--schema", "other", "--dry-run")
                .on(database.url())
                .run()
                .succeeds();

        assertThat(dry.out()).startsWith("would apply 1 leadership\n");
        assertThat(dry.err()).isEmpty();
        assertThat(database.one("SELECT to_regnamespace('other')")).isEqualTo("null");
    }

    @Test
    void programsGetJson(TestDatabase database) {
        JsonNode dry = json(
                Cli.baton("migrate", "--schema", "other", "--dry-run", "--json").on(database.url()));
        assertThat(dry.get("schema").asString()).isEqualTo("other");
        assertThat(dry.get("applied").asBoolean()).isFalse();
        assertThat(dry.get("steps").get(0).get("number").asInt()).isEqualTo(1);
        assertThat(dry.get("steps").get(0).get("name").asString()).isEqualTo("leadership");

        JsonNode upToDate = json(Cli.baton("migrate", "--json").on(database.url()));
        assertThat(upToDate.get("applied").asBoolean()).isTrue();
        assertThat(upToDate.get("steps")).isEmpty();
    }

    @Test
    void thePrintedScriptMakesTheSameSchema(TestDatabase database) throws Exception {
        Cli.Ended printed =
                Cli.baton("migrate", "--print-sql", "--schema", "by_hand").run().succeeds();
        assertThat(printed.err()).isEmpty();

        database.execute(printed.out());

        assertThat(Cli.baton("migrate", "--schema", "by_hand")
                        .on(database.url())
                        .run()
                        .succeeds()
                        .err())
                .isEqualTo("Schema 'by_hand' is up to date.\n");
    }

    @Test
    void aRoleOfThePrintedScriptMayLead(TestDatabase database) throws Exception {
        Cli.baton("migrate", "--schema", "shop").on(database.url()).run().succeeds();
        Cli.Ended printed =
                Cli.baton("migrate", "--print-roles", "--schema", "shop").run().succeeds();
        assertThat(printed.err()).isEmpty();

        database.execute(printed.out());
        database.execute(printed.out());
        database.execute("CREATE ROLE shop_service LOGIN; GRANT shop_worker TO shop_service");

        Cli.baton("lead", "job", "--schema", "shop", "--database-url", database.urlFor("shop_service"), "--", "true")
                .run()
                .succeeds();
    }

    @Test
    void theLaterStepsAloneBringAnOlderSchemaUpToDate(TestDatabase database) throws Exception {
        String whole = Cli.baton("migrate", "--print-sql", "--schema", "by_hand")
                .run()
                .succeeds()
                .out();
        int newest = Integer.parseInt(database.one("SELECT max(number) FROM baton.migration"));
        database.execute(whole);
        // The newest step has made nothing but functions, so a schema without its record is as it was before.
        database.execute("DELETE FROM by_hand.migration WHERE number = " + newest
                + "; DROP FUNCTION by_hand.delete_leadership(text)");
        String rest = print(newest - 1);

        database.execute(rest);

        assertThat(Cli.baton("migrate", "--schema", "by_hand")
                        .on(database.url())
                        .run()
                        .succeeds()
                        .err())
                .isEqualTo("Schema 'by_hand' is up to date.\n");
        assertThat(database.one("SELECT by_hand.delete_leadership('none')")).isEqualTo("none");
        assertThatThrownBy(() -> database.execute(rest))
                .hasMessageContaining(
                        "is for the schema by_hand at step " + (newest - 1) + ", and it is at step " + newest);
    }

    private static String print(int from) {
        return Cli.baton("migrate", "--print-sql", "--from", Integer.toString(from), "--schema", "by_hand")
                .run()
                .succeeds()
                .out();
    }

    @Test
    void aStepThatIsNotThereIsRefused() {
        Cli.baton("migrate", "--print-sql", "--from", "0").run().complains(64, "There is nothing after step 0");
        Cli.baton("migrate", "--print-sql", "--from", "999").run().complains(64, "There is nothing after step 999");
        Cli.baton("migrate", "--from", "3").run().complains(64, "--from is for --print-sql");
    }

    @Test
    void theRolesAreMadeByAnOwnerWhoMayCreateRolesAndByNobodyElse(TestDatabase database) throws Exception {
        database.execute("CREATE ROLE deployer LOGIN CREATEROLE; CREATE ROLE guest LOGIN; GRANT CREATE ON DATABASE \""
                + database.name() + "\" TO deployer");
        Cli.baton("migrate", "--schema", "mine", "--database-url", database.urlFor("deployer"))
                .run()
                .succeeds();
        String script = Cli.baton("migrate", "--print-roles", "--schema", "mine")
                .run()
                .succeeds()
                .out();
        assertThat(script).contains("-v ON_ERROR_STOP=1 --single-transaction").contains("Who must run it");

        assertThatThrownBy(() -> execute(database.urlFor("guest"), script))
                .hasMessageContaining(
                        "The role guest cannot do this: run the script as a superuser, or as a role with CREATEROLE "
                                + "that owns the schema mine.");
        execute(database.urlFor("deployer"), script);
        execute(database.urlFor("deployer"), script);

        assertThat(database.one("SELECT nspowner::regrole FROM pg_namespace WHERE nspname = 'mine'"))
                .isEqualTo("mine_owner");
    }

    private static void execute(String url, String script) throws Exception {
        try (Connection connection = DatabaseUrl.parse(url).connector().connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(script);
            connection.commit();
        }
    }

    private static JsonNode json(Cli.Run run) {
        Cli.Ended ended = run.run().succeeds();
        assertThat(ended.err()).isEmpty();
        return JsonMapper.shared().readTree(ended.out());
    }
}
