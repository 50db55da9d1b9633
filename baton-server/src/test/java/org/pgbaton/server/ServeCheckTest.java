package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code baton serve --check} says what would run and changes nothing; and what keeps {@code serve} from starting. */
@BatonTest
class ServeCheckTest {
    private static final String TWO = """
            relays:
              - name: trades
                subscription: trades-out
                target:
                  webhook: {url: "https://example.com/hook?token=s3cret"}
              - name: all
                log: events
                order: total
                target:
                  stdout:
            """;

    @TempDir
    private Path folder;

    @Test
    void itPrintsWhatWouldRun(TestDatabase database) throws Exception {
        Files.writeString(folder.resolve("baton.yaml"), TWO);

        Cli.Ended ended = Cli.baton("serve", "--check")
                .in(folder)
                .on(database.url())
                .run()
                .succeeds();
        assertThat(ended.out().lines().map(String::strip))
                .containsExactly(
                        "RELAY   LOG     SUBSCRIPTION  ORDER  WORKERS  TARGET",
                        "trades  outbox  trades-out    key    4        webhook https://example.com/hook",
                        "all     events  all           total  1        standard output");
        assertThat(ended.err()).isEqualTo("baton: baton.yaml is right.\n");

        JsonNode json = JsonMapper.shared()
                .readTree(Cli.baton("serve", "--check", "--json", "-c", "baton.yaml")
                        .in(folder)
                        .on(database.url())
                        .run()
                        .succeeds()
                        .out());
        assertThat(json.get("databaseChecked").asBoolean()).isTrue();
        assertThat(json.get("relays").get(1).get("log").asString()).isEqualTo("events");
        assertThat(database.one("SELECT count(*) FROM baton.subscription")).isEqualTo("0");
    }

    @Test
    void logsAndSubscriptionsThatDoNotFitAreToldWithTheirLines(TestDatabase database) throws Exception {
        Shop.open(database).close();
        Files.writeString(folder.resolve("baton.yaml"), """
                relays:
                  - name: trades
                    log: outbx
                    target: {stdout: }
                  - name: balances
                    target: {stdout: }
                """);

        for (String[] arguments : new String[][] {{"serve", "--check"}, {"serve"}}) {
            Cli.Ended ended = Cli.baton(arguments).in(folder).on(database.url()).run();
            assertThat(ended.code()).isEqualTo(78);
            assertThat(ended.out()).isEmpty();
            assertThat(ended.err()).isEqualTo("""
                    baton.yaml:3: there is no log 'outbx' in schema 'baton'; did you mean 'outbox'? 'baton logs create outbx' creates it
                    baton.yaml:5: subscription 'balances' exists, and reads log 'events' in order 'key': name another subscription, or correct log and order
                    baton: baton.yaml has 2 problems.
                    """);
        }
    }

    @Test
    void withoutADatabaseOnlyTheFileIsChecked() throws Exception {
        Files.writeString(folder.resolve("baton.yaml"), TWO);

        Cli.Ended away = Cli.baton("serve", "--check", "--database-url", "postgres://127.0.0.1:1/db")
                .in(folder)
                .run()
                .succeeds();
        assertThat(away.err()).contains("baton.yaml is right. Logs and subscriptions were not checked: Cannot ");
        Path data = folder.resolve("data");
        Cli.Ended embedded = Cli.baton("serve", "--check", "--data-dir", data.toString())
                .in(folder)
                .run()
                .succeeds();
        assertThat(embedded.err()).contains("not checked: that would start the embedded PostgreSQL.");
        assertThat(data).doesNotExist();
    }

    @Test
    void aSchemaThatIsNotThereIsNotMadeByACheck(TestDatabase database) throws Exception {
        Files.writeString(folder.resolve("baton.yaml"), TWO + "database: {schema: another}\n");

        Cli.Ended ended = Cli.baton("serve", "--check")
                .in(folder)
                .on(database.url())
                .run()
                .succeeds();
        assertThat(ended.err()).contains("not checked: ").contains("another");
        assertThat(database.one("SELECT to_regnamespace('another')")).isEqualTo("null");
        Cli.baton("serve", "--no-migrate").in(folder).on(database.url()).run().complains(78, "run 'baton migrate'");
    }

    @Test
    void theDatabaseOfTheFileCountsUnlessAnotherIsNamed(TestDatabase database) throws Exception {
        Files.writeString(
                folder.resolve("baton.yaml"), TWO + "database: {url: \"" + database.url() + "\", schema: another}\n");
        assertThat(Cli.baton("serve", "--check").in(folder).run().succeeds().err())
                .contains("another");
        assertThat(Cli.baton("serve", "--check", "--schema", "baton")
                        .in(folder)
                        .run()
                        .succeeds()
                        .err())
                .isEqualTo("baton: baton.yaml is right.\n");
        assertThat(Cli.baton("serve", "--check", "--schema", "baton")
                        .on("postgres://127.0.0.1:1/db")
                        .in(folder)
                        .run()
                        .succeeds()
                        .err())
                .contains("127.0.0.1:1 refused");

        Files.writeString(
                folder.resolve("baton.yaml"),
                TWO + "database: {url: \"" + database.urlFor("nobody_of_that_name") + "\"}\n");
        Cli.baton("serve", "--check").in(folder).run().complains(78, "nobody_of_that_name");
        // Waiting would not help.
        Cli.baton("serve", "--database-wait", "1h").in(folder).run().complains(78, "nobody_of_that_name");
    }

    @Test
    void whatKeepsItFromStartingHasItsCode() throws Exception {
        Cli.baton("serve")
                .in(folder)
                .run()
                .complains(64, "There is no baton.yaml in this folder: name a configuration");
        Cli.baton("serve", "-c", "none.yaml")
                .in(folder)
                .run()
                .complains(64, "none.yaml cannot be read: there is no such file.");
        Cli.baton("serve", "-c", ".").in(folder).run().complains(64, "is a folder");
        Files.writeString(folder.resolve("baton.yaml"), TWO);
        Cli.baton("serve", "--http-port", "70000").in(folder).run().complains(64, "--http-port 70000 makes no sense");
        Cli.baton("serve", "--json").in(folder).run().complains(64, "--json is for --check");
        Cli.baton("serve").in(folder).on("postgres://127.0.0.1:1/db").run().complains(69, "127.0.0.1:1 refused");
        Cli.Ended waited = Cli.baton("serve", "--database-wait", "1200ms")
                .in(folder)
                .on("postgres://127.0.0.1:1/db")
                .run();
        assertThat(waited.code()).isEqualTo(69);
        assertThat(waited.err()).startsWith("baton: Waiting for the database: Cannot ");
        assertThat(waited.err().lines()).hasSize(2);
    }

    @Test
    void aPortThatIsTakenIsNamed(TestDatabase database) throws Exception {
        Files.writeString(folder.resolve("baton.yaml"), TWO);
        try (Receiver other = Receiver.start()) {
            String port = other.url("").replaceFirst(".*:", "");
            Cli.Ended ended = Cli.baton("serve", "--http-port", port)
                    .in(folder)
                    .on(database.url())
                    .run();
            assertThat(ended.code()).isEqualTo(78);
            assertThat(ended.err())
                    .contains("baton: Cannot listen on 127.0.0.1:" + port)
                    .contains("--http-port");
        }
        Files.writeString(folder.resolve("baton.yaml"), TWO + "http: {port: 80, address: no-such-host.invalid}\n");
        Cli.Ended ended = Cli.baton("serve").in(folder).on(database.url()).run();
        assertThat(ended.code()).isEqualTo(78);
        assertThat(ended.err()).contains("The HTTP address 'no-such-host.invalid' is unknown here");
    }

    @Test
    void theJsonSchemaNeedsNothing() throws Exception {
        Cli.Ended ended =
                Cli.baton("serve", "--print-json-schema").in(folder).run().succeeds();

        assertThat(JsonMapper.shared().readTree(ended.out()).get("properties").has("relays"))
                .isTrue();
        assertThat(ended.err()).isEmpty();
    }
}
