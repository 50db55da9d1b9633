package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code baton captures}. */
@BatonTest
class CapturesTest {
    @Test
    void theLifeOfACapture(TestDatabase database) throws Exception {
        assertThat(run(database, "list").run().succeeds().err()).contains("no capture here yet");
        database.execute("CREATE TABLE alert (k text PRIMARY KEY)");
        try (Baton baton = database.baton("shop")) {
            baton.capture("cli_alerts").table("alert").start();
            awaitState(database, "running");
            database.execute("INSERT INTO alert VALUES ('a')");
            await().until(() ->
                    database.one("SELECT count(*) FROM baton.cli_alerts").equals("1"));

            assertThat(run(database, "list").run().succeeds().out())
                    .contains("cli_alerts", "running", "shop", "public.alert", "WAL KEPT");
            JsonNode shown = JsonMapper.shared()
                    .readTree(run(database, "show", "cli_alerts", "--json")
                            .run()
                            .succeeds()
                            .out());
            assertThat(shown.get("changes").asInt()).isEqualTo(1);
            assertThat(shown.get("slot").asString()).isEqualTo("baton_cli_alerts");
            run(database, "drop", "cli_alerts", "--reason", "test", "--yes")
                    .run()
                    .complains(75, "in use by shop");

            assertThat(run(database, "snapshot", "cli_alerts").run().succeeds().err())
                    .contains("The rows of 1 table");
            await().until(() ->
                    database.one("SELECT count(*) FROM baton.cli_alerts").equals("2"));
            await().until(() -> run(database, "show", "cli_alerts").run().out().contains("public.alert: 1, done at"));

            run(database, "pause", "cli_alerts", "--reason", "maintenance")
                    .run()
                    .succeeds();
            awaitState(database, "paused");
            await().until(() -> database.one(
                            "SELECT active FROM pg_replication_slots WHERE slot_name = 'baton_cli_alerts'")
                    .equals("f"));
            database.execute("INSERT INTO alert VALUES ('b')");
            run(database, "resume", "cli_alerts").run().succeeds();
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> database.one("SELECT count(*) FROM baton.cli_alerts")
                            .equals("3"));
        }
        assertThat(run(database, "show", "cli_alerts").run().succeeds().out())
                .contains("reader       nobody", "baton_cli_alerts");
        assertThat(run(database, "drop", "cli_alerts", "--reason", "over")
                        .run()
                        .complains(64, "This drops the slot")
                        .err())
                .contains("add --yes");
        run(database, "drop", "cli_alerts", "--reason", "over", "--yes").run().succeeds();
        assertThat(database.one("SELECT count(*) FROM pg_replication_slots WHERE slot_name = 'baton_cli_alerts'"))
                .isEqualTo("0");
        assertThat(database.one("SELECT count(*) FROM pg_publication")).isEqualTo("0");
        assertThat(database.one("SELECT count(*) FROM baton.cli_alerts"))
                .as("the log stays")
                .isEqualTo("3");
        assertThat(database.one(
                        "SELECT string_agg(what, ', ' ORDER BY id) FROM baton.action WHERE what LIKE '% capture'"))
                .isEqualTo("snapshot capture, pause capture, resume capture, drop capture");
        run(database, "show", "cli_alertz").run().complains(78, "There is no capture 'cli_alertz'");
    }

    /** A gap is in everything that an operator looks at, until it is settled; a change that cannot be told is skipped by command. */
    @Test
    void whatAnOperatorDecides(TestDatabase database) throws Exception {
        database.execute(
                "CREATE TABLE alert (id integer PRIMARY KEY, k text); ALTER TABLE alert REPLICA IDENTITY FULL");
        try (Baton baton = database.baton("shop")) {
            baton.capture("cli_gaps").table("alert").key("k").start();
            run(database, "skip", "cli_gaps", "--reason", "no").run().complains(78, "is not held up by a change");
            database.execute("ALTER PUBLICATION baton_cli_gaps SET (publish = 'insert')");
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> baton.captures().gaps("cli_gaps").stream().anyMatch(gap -> gap.toLsn() != null));
            assertThat(run(database, "list").run().succeeds().out())
                    .contains("1 gap: see 'baton captures show cli_gaps'");
            assertThat(run(database, "show", "cli_gaps").run().succeeds().out())
                    .contains(
                            "gap          Changes of its tables may be missing from the log of capture 'cli_gaps', from ",
                            "did not send update, delete, truncate",
                            "baton captures snapshot cli_gaps",
                            "baton captures settle cli_gaps");
            assertThat(Cli.baton("doctor").on(database.url()).run().out())
                    .contains("'cli_gaps' has 1 gap: changes of that time may be missing from its log");
            assertThat(run(database, "settle", "cli_gaps", "--reason", "rows sent")
                            .run()
                            .succeeds()
                            .err())
                    .contains("1 gap of capture 'cli_gaps' settled.");
            JsonNode shown = JsonMapper.shared()
                    .readTree(run(database, "show", "cli_gaps", "--json")
                            .run()
                            .succeeds()
                            .out());
            assertThat(shown.get("gaps").asInt()).isZero();
            assertThat(shown.get("gapList").get(0).get("reason").asString()).isEqualTo("rows sent");

            database.execute("INSERT INTO alert VALUES (1, 'a')");
            database.execute(
                    "ALTER TABLE alert REPLICA IDENTITY DEFAULT; DELETE FROM alert; ALTER TABLE alert REPLICA IDENTITY FULL");
            awaitState(database, "stopped");
            assertThat(run(database, "show", "cli_gaps").run().succeeds().out())
                    .contains("problem      Capture 'cli_gaps' stands still: the delete of public.alert");
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> database.one("SELECT stuck_lsn IS NOT NULL FROM baton.capture")
                            .equals("t"));
            assertThat(run(database, "skip", "cli_gaps", "--reason", "gone anyway")
                            .run()
                            .succeeds()
                            .err())
                    .contains("Capture 'cli_gaps' passes over the delete of public.alert");
            database.execute("INSERT INTO alert VALUES (2, 'b')");
            await().atMost(Duration.ofSeconds(30))
                    .until(() ->
                            database.one("SELECT count(*) FROM baton.cli_gaps").equals("2"));
        }
    }

    private static void awaitState(TestDatabase database, String state) {
        await().atMost(Duration.ofSeconds(20))
                .until(() ->
                        database.one("SELECT state FROM baton.capture_status").equals(state));
    }

    private static Cli.Run run(TestDatabase database, String... arguments) {
        String[] all = new String[arguments.length + 1];
        all[0] = "captures";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return Cli.baton(all).on(database.url());
    }
}
