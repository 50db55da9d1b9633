package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
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

    private static JsonNode json(Cli.Run run) {
        Cli.Ended ended = run.run().succeeds();
        assertThat(ended.err()).isEmpty();
        return JsonMapper.shared().readTree(ended.out());
    }
}
