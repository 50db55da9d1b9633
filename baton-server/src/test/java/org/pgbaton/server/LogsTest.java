package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import org.junit.jupiter.api.Test;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code baton logs}: creates, shows, removes and blanks what it is told to, and says so. */
@BatonTest
class LogsTest {
    @Test
    void aLogIsCreatedOnceAndShown(TestDatabase database) throws Exception {
        Cli.Run create = run(database, "create", "orders", "--lanes", "4", "--retention", "30d");
        Cli.Ended first = create.run().succeeds();
        assertThat(first.out()).isEqualTo("created orders\n");
        assertThat(first.err()).isEmpty();
        Cli.Ended second = create.run().succeeds();
        assertThat(second.out()).isEmpty();
        assertThat(second.err()).isEqualTo("The log 'orders' is there already; nothing was changed.\n");
        database.execute("INSERT INTO baton.orders (key, payload) VALUES ('account-42', '1'), ('b', '2')");

        Cli.Ended list = run(database, "list").run().succeeds();
        assertThat(list.out().lines().toList()).hasSize(4);
        assertThat(list.out()).containsPattern("orders +4 +30 d +\\d+ +\\d+ kB +1 +2 +0");
        assertThat(list.out()).containsPattern("events +16 +forever");

        assertThat(run(database, "show", "orders").run().succeeds().out())
                .containsPattern("lanes +4\n")
                .containsPattern("last +2, recorded at 20")
                .containsPattern("open writers +none");
    }

    @Test
    void programsGetJson(TestDatabase database) throws Exception {
        JsonNode made = json(run(database, "create", "orders", "--json").run());
        assertThat(made.get("name").asString()).isEqualTo("orders");
        assertThat(made.get("lanes").asInt()).isEqualTo(16);
        assertThat(made.get("retentionSeconds").isNull()).isTrue();
        assertThat(json(run(database, "retention", "orders", "12h", "--json").run())
                        .get("retentionSeconds")
                        .asDouble())
                .isEqualTo(43200);
        assertThat(json(run(database, "list", "--json").run()).get("logs")).hasSize(3);
        try (Connection open = database.connect()) {
            open.setAutoCommit(false);
            open.createStatement().execute("SET application_name = 'slow import'");
            open.createStatement().execute("INSERT INTO baton.orders (key, payload) VALUES ('account-42', '1')");
            JsonNode writer = json(run(database, "show", "orders", "--json").run())
                    .get("openWriters")
                    .get(0);
            assertThat(writer.get("application").asString()).isEqualTo("slow import");
            assertThat(writer.get("lanes").get(0).asInt()).isEqualTo(7);
            assertThat(run(database, "show", "orders").run().succeeds().out())
                    .containsPattern("open writer +slow import \\(process \\d+, open for .*\\) in lanes \\[7\\]");
        }
    }

    @Test
    void oldRowsAreRemovedWhenAskedFor(TestDatabase database) throws Exception {
        database.execute("INSERT INTO baton.events (payload) SELECT '1' FROM generate_series(1, 12000)");
        Cli.Ended kept = run(database, "retain", "events").run().succeeds();
        assertThat(kept.out()).isEqualTo("removed 0 rows; the first is now 1\n");
        assertThat(kept.err()).contains("are kept forever; see 'baton logs retention'");

        assertThat(run(database, "retention", "events", "0s").run().succeeds().out())
                .isEqualTo("events kept 0 ms\n");
        assertThat(run(database, "retain", "events").run().succeeds().out())
                .isEqualTo("removed 12000 rows; the first is now -\n");
        assertThat(json(run(database, "retain", "events", "--json").run())
                        .get("removed")
                        .asInt())
                .isZero();
        assertThat(run(database, "retention", "events", "forever")
                        .run()
                        .succeeds()
                        .out())
                .isEqualTo("events kept forever\n");
    }

    @Test
    void aRedactionSaysWhatItBlanksAndAsks(TestDatabase database) throws Exception {
        database.execute(
                "INSERT INTO baton.events (key, type, headers, payload) VALUES ('k', 'T', '{}', '{\"name\":\"Ada\"}')");
        try (Cli no = run(database, "redact", "events", "1", "--reason", "law")
                .withJavaOption("-Dbaton.terminal.input=true")
                .start()) {
            no.type("no\n");
            Cli.Ended ended = no.awaitEnd();
            assertThat(ended.code()).isEqualTo(1);
            assertThat(ended.err())
                    .contains(
                            "key 'k', type 'T'.",
                            "This blanks its payload (14 bytes) and its headers",
                            "Nothing was changed.");
        }
        try (Cli silent =
                run(database, "redact", "events", "1", "--reason", "law").start()) {
            silent.closeInput();
            Cli.Ended ended = silent.awaitEnd();
            assertThat(ended.code()).isEqualTo(64);
            assertThat(ended.err()).contains("add --yes");
        }
        assertThat(database.one("SELECT payload FROM baton.events")).contains("Ada");

        try (Cli yes = run(database, "redact", "events", "1", "--reason", "law", "--who", "Grace")
                .withJavaOption("-Dbaton.terminal.input=true")
                .start()) {
            yes.type("yes\n");
            assertThat(yes.awaitEnd().succeeds().out()).isEqualTo("redacted events 1\n");
        }
        assertThat(database.one("SELECT payload FROM baton.events")).isEqualTo("{\"redacted\":true}");
        assertThat(database.one("SELECT who || ' ' || reason FROM baton.action"))
                .isEqualTo("Grace law");

        JsonNode again = json(run(database, "redact", "events", "1", "--reason", "law", "--yes", "--json")
                .run());
        assertThat(again.get("position").asLong()).isEqualTo(1);
        assertThat(again.get("who").asString()).contains(" on ");
    }

    @Test
    void anOutboxHasALimitThatCanBeChanged(TestDatabase database) throws Exception {
        assertThat(run(database, "create", "mails", "--outbox", "--limit", "10B")
                        .run()
                        .succeeds()
                        .out())
                .isEqualTo("created mails\n");
        assertThat(run(database, "limit", "mails", "2kB").run().succeeds().out())
                .isEqualTo("mails takes payloads of up to 2,000 bytes\n");
        assertThat(run(database, "show", "mails").run().succeeds().out())
                .containsPattern("payloads up to +2,000 bytes\n");
        assertThat(json(run(database, "show", "outbox", "--json").run())
                        .get("payloadLimit")
                        .asInt())
                .isEqualTo(1_000_000);
        run(database, "limit", "events", "5MB").run().complains(64, "The log 'events' is no outbox");
        run(database, "limit", "mails", "5GB")
                .run()
                .complains(64, "'5GB' is no size; write for example 500000, 512kB or 5MB");
    }

    @Test
    void mistakesAreSentences(TestDatabase database) {
        run(database, "show", "orders").run().complains(64, "There is no log 'orders' in schema 'baton'");
        run(database, "create", "Orders").run().complains(64, "'Orders' cannot be the name of a log");
        run(database, "create", "checkpoint").run().complains(64, "something else named 'checkpoint'");
        run(database, "create", "events", "--lanes", "4").run().complains(64, "has 16 lanes, not 4");
        run(database, "create", "orders", "--lanes", "0").run().complains(64, "give 1 to 1024 (default 16)");
        run(database, "create", "orders", "--retention", "soon").run().complains(64, "'soon' is no time to keep rows");
        run(database, "retention", "events", "never").run().complains(64, "write for example 12h, 30d or forever");
        run(database, "retention", "events").run().complains(64, "Missing required parameter: 'TIME'");
        run(database, "redact", "events", "1").run().complains(64, "--reason");
        run(database, "redact", "events", "9", "--reason", "law", "--yes")
                .run()
                .complains(64, "has no row at position 9");
        run(database, "lst").run().complains(64, "There is no command 'lst'; did you mean 'list'?");
        run(database, "list", "--schema", "other").run().complains(78, "run 'baton migrate'");
    }

    @Test
    void helpBeginsWithExamples(TestDatabase database) {
        Cli.Ended help = Cli.baton("logs").run().succeeds();
        assertThat(help.out()).startsWith("Creates, shows and looks after logs.\n\nExamples:\n");
        for (String command :
                new String[] {"list", "show", "create", "retention", "retain", "redact", "limit", "adopt"}) {
            assertThat(Cli.baton("logs", command, "--help").run().succeeds().out())
                    .contains("Examples:\n  baton logs " + command);
        }
        assertThat(Cli.baton("logs", "list", "--version").run().succeeds().out())
                .startsWith("baton ");
    }

    private static Cli.Run run(TestDatabase database, String... arguments) {
        String[] all = new String[arguments.length + 1];
        all[0] = "logs";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return Cli.baton(all).on(database.url());
    }

    private static JsonNode json(Cli.Ended ended) {
        return JsonMapper.shared().readTree(ended.succeeds().out());
    }
}
