package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code serve}, {@code status} and {@code doctor} over several databases: one that is away or refuses delays only itself. */
@BatonTest
class SeveralDatabasesTest {
    private static final String AWAY = "postgres://postgres@127.0.0.1:1/none";

    @TempDir
    private Path folder;

    private Path file(Map<String, String> databases, String relays) throws IOException {
        return Files.writeString(
                folder.resolve("baton.yaml"),
                "databases:\n"
                        + databases.entrySet().stream()
                                .map(each -> "  " + each.getKey() + ": {url: \"" + each.getValue() + "\"}\n")
                                .sorted()
                                .collect(Collectors.joining())
                        + "relays:\n"
                        + relays);
    }

    private static String relay(String name, Receiver receiver, String more) {
        return "  - {name: %s, %starget: {webhook: {url: \"%s\", allow-private: true}}}\n"
                .formatted(name, more, receiver.url("/" + name));
    }

    /** Two databases, and one that is away. */
    @Test
    void eachIsServedAndShownOnItsOwn(TestDatabase database) throws Exception {
        try (Receiver receiver = Receiver.start();
                TestDatabase other = database.server().newDatabase()) {
            Path file = file(
                    Map.of("one", database.url(), "two", other.url(), "away", AWAY),
                    relay("trades", receiver, "") + relay("second", receiver, "databases: [two, away], "));
            try (Served served = start("two: Relay 'second' is running.", file, "--database-wait", "1h")) {
                served.cli().awaitError("one: Relay 'trades' is running.");
                served.cli().awaitError("two: Relay 'trades' is running.");
                served.cli().awaitError("away: Waiting for the database: ");
                Served.send(database, 2, 1);
                Served.send(other, 3, 1);
                await().atMost(Cli.PATIENCE)
                        .until(() -> receiver.at("/trades").size() == 5
                                && receiver.at("/second").size() == 3);

                JsonNode ready = served.readiness();
                assertThat(ready.get("ready").asBoolean()).isTrue();
                assertThat(ready.get("databases")
                                .valueStream()
                                .map(each -> each.get("name").asString() + " "
                                        + each.get("ready").asBoolean() + " "
                                        + each.get("database").asString()))
                        .containsExactly("away false awaited", "one true reachable", "two true reachable");
                assertThat(ready.get("databases").get(2).get("relays")).hasSize(2);
                assertThat(served.get("/readyz/one").statusCode()).isEqualTo(200);
                assertThat(served.get("/readyz/away").statusCode()).isEqualTo(503);
                assertThat(served.get("/livez").statusCode()).isEqualTo(200);
                assertThat(served.get("/leader/one/nobody").statusCode()).isEqualTo(503);
                String metrics = served.get("/metrics").body();
                assertThat(metrics)
                        .contains("baton_database_served{database=\"one\"} 1.0")
                        .contains("baton_database_served{database=\"away\"} 0.0");
                assertThat(handled(metrics, "one")).isEqualTo(2);
                assertThat(handled(metrics, "two")).isEqualTo(6);

                assertThat(served.get("/").body()).contains("<a href=\"/databases/one/\">one</a>: served");
                assertThat(served.get("/databases/two/").body()).contains("second");
                assertThat(served.get("/databases/two").statusCode()).isEqualTo(303);
                assertThat(served.get("/databases/two/api/v1/subscriptions").body())
                        .contains("\"second\"");
                assertThat(served.get("/databases/one/api/v1/subscriptions").body())
                        .contains("\"trades\"")
                        .doesNotContain("\"second\"");
                assertThat(served.get("/databases/away/").statusCode()).isEqualTo(503);
                assertThat(served.get("/databases/none/").statusCode()).isEqualTo(404);

                served.cli().signal("TERM");
                assertThat(served.cli().awaitEnd().code()).isZero();
            }
        }
    }

    private static Served start(String line, Path file, String... options) throws IOException {
        return Served.startUntil(line, null, file, options);
    }

    private static double handled(String metrics, String database) {
        return metrics.lines()
                .filter(line -> line.startsWith("baton_subscription_handled_total{")
                        && line.contains("database=\"" + database + "\""))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    @Test
    void oneThatRefusesIsToldAndServedOnceItFits(TestDatabase database) throws Exception {
        try (Receiver receiver = Receiver.start();
                TestDatabase other = database.server().newDatabase()) {
            database.baton().logs().create("billing");
            String late = "late_" + database.name();
            Path file = file(
                    Map.of(
                            "one",
                            database.url(),
                            "three",
                            database.url().replace(database.name(), late),
                            "two",
                            other.url()),
                    relay("bills", receiver, "log: billing, databases: [one, two], ")
                            + relay("trades", receiver, "databases: [three], "));
            try (Served served = start("one: Relay 'bills' is running.", file)) {
                served.cli().awaitError("two: Nothing runs on this database until that is put right");
                assertThat(served.cli().err()).contains("there is no log 'billing' in schema 'baton'");
                served.cli().awaitError("three: Nothing runs on this database until that is put right");
                assertThat(served.get("/readyz").statusCode()).isEqualTo(503);
                assertThat(served.get("/readyz/one").statusCode()).isEqualTo(200);
                assertThat(served.readiness()
                                .get("databases")
                                .get(2)
                                .get("database")
                                .asString())
                        .isEqualTo("refused");

                assertThat(served.cli().err()).contains("then send SIGHUP, or restart. Other databases go on.");
                other.baton().logs().create("billing");
                served.cli().signal("HUP");
                served.cli().awaitError("two: Relay 'bills' is running.");
                database.execute("CREATE DATABASE \"" + late + "\"");
                served.cli().awaitError("three: Relay 'trades' is running.");
                await().atMost(Cli.PATIENCE).until(() -> served.get("/readyz").statusCode() == 200);
            }
        }
    }

    @Test
    void theFileIsReadAgainForEach(TestDatabase database) throws Exception {
        try (Receiver receiver = Receiver.start();
                TestDatabase other = database.server().newDatabase()) {
            Map<String, String> two = Map.of("one", database.url(), "two", other.url());
            Path file = file(two, relay("trades", receiver, ""));
            try (Served served = start("one: Relay 'trades' is running.", file)) {
                served.cli().awaitError("two: Relay 'trades' is running.");
                String more = relay("more", receiver, "databases: [two], ");
                file(Map.of("one", database.url(), "two", AWAY), relay("trades", receiver, "") + more);
                served.cli().signal("HUP");
                served.cli().awaitError("one: SIGHUP: " + file + " is read again: 0 started, 0 ended, 1 went on.");
                served.cli().awaitError("two: SIGHUP: " + file + " is read again: 1 started, 0 ended, 1 went on.");
                served.cli().awaitError("'databases' in " + file + " has changed, which needs a restart");

                file(
                        Map.of("one", database.url(), "three", other.url()),
                        relay("trades", receiver, "databases: [three], "));
                Files.writeString(file, relay("last", receiver, "databases: [one], "), StandardOpenOption.APPEND);
                served.cli().signal("HUP");
                served.cli()
                        .awaitError("SIGHUP: nothing was changed: " + file + " has other databases than this process");
                Served.send(database, 1, 1);
                await().atMost(Cli.PATIENCE).until(() -> receiver.at("/trades").size() == 1);
                assertThat(served.cli().err()).doesNotContain("'last'");
            }
        }
    }

    /** Its first relay has published already when the second one is refused. */
    @Test
    void aStartThatIsRefusedInTheMiddleWaitsForASignal(TestDatabase database) throws Exception {
        try (Receiver receiver = Receiver.start();
                TestDatabase other = database.server().newDatabase()) {
            Path elsewhere = Files.writeString(
                    folder.resolve("elsewhere.yaml"),
                    "database: {url: \"%s\"}%nrelays:%n".formatted(other.url())
                            + relay("second", receiver, "").replace("/second", "/elsewhere"));
            Path file = file(
                    Map.of("one", database.url(), "two", other.url()),
                    relay("first", receiver, "from: origin, ") + relay("second", receiver, ""));
            try (Served before = start("Relay 'second' is running.", elsewhere);
                    Served served = start("two: Nothing runs on this database until that is put right", file)) {
                served.cli().awaitError("then send SIGHUP, or restart.");
                served.cli().awaitError("one: Relay 'second' is running.");
                assertThat(served.get("/readyz").statusCode()).isEqualTo(503);
                assertThat(served.get("/").body()).contains("two</a>: refused");
                assertThat(served.get("/metrics").body()).contains("baton_database_served{database=\"two\"} 0.0");
                before.cli().signal("TERM");
                assertThat(before.cli().awaitEnd().code()).isZero();

                served.cli().signal("HUP");
                served.cli().awaitError("two: Relay 'second' is running.");
                await().atMost(Cli.PATIENCE).until(() -> served.get("/readyz").statusCode() == 200);
            }
        }
    }

    @Test
    void oneSchemaIsNotServedUnderTwoNames(TestDatabase database) throws Exception {
        try (Receiver receiver = Receiver.start()) {
            String relay = relay("trades", receiver, "");
            Path file =
                    file(Map.of("one", database.url(), "two", database.url().replace("127.0.0.1", "localhost")), relay);
            try (Served served = start("Relay 'trades' is running.", file)) {
                served.cli().awaitError("Nothing runs on this database until that is put right");
                assertThat(served.cli().err()).containsPattern("databases '(one|two)' and '(one|two)' are the same");
                assertThat(served.get("/readyz").statusCode()).isEqualTo(503);
            }
            Cli.baton("serve", "-c", file.toString(), "--schema", "other")
                    .run()
                    .complains(64, "--schema or BATON_SCHEMA names a schema: leave that out");
            Cli.baton("status", "-c", file.toString())
                    .with("BATON_SCHEMA", "other")
                    .run()
                    .complains(64, "--schema or BATON_SCHEMA names a schema: leave that out");
        }
    }

    @Test
    void ifNoneCanBeServedItEnds(TestDatabase database) throws Exception {
        try (Receiver receiver = Receiver.start()) {
            Path away = file(Map.of("one", AWAY, "two", AWAY.replace(":1/", ":2/")), relay("trades", receiver, ""));
            Cli.Ended unreachable = Cli.baton("serve", "-c", away.toString()).run();
            assertThat(unreachable.code()).isEqualTo(69);
            assertThat(unreachable.err())
                    .contains("baton: None of the 2 databases can be served.")
                    .contains("baton: one: ")
                    .contains("baton: two: ")
                    .doesNotContain("Exception");

            Path refused =
                    file(Map.of("one", AWAY, "two", database.url()), relay("trades", receiver, "log: billing, "));
            assertThat(Cli.baton("serve", "-c", refused.toString()).run().code())
                    .isEqualTo(78);
            Cli.baton("serve", "-c", refused.toString())
                    .on(database.url())
                    .run()
                    .complains(
                            64,
                            "The file names several databases (one, two), and an option or a variable names another");
            Cli.Ended checked =
                    Cli.baton("serve", "-c", refused.toString(), "--check").run();
            assertThat(checked.code()).isEqualTo(78);
            assertThat(checked.err())
                    .contains("baton: one: Logs and subscriptions were not checked: ")
                    .contains("baton: two does not fit:")
                    .contains("there is no log 'billing'");
        }
    }

    /** The file is right, whether a database is noticed to be away or does not answer in time. */
    @Test
    void aCheckThatGetsNoAnswerBlamesNoFile() throws Exception {
        try (Receiver receiver = Receiver.start();
                ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            String url = "postgres://postgres@127.0.0.1:" + silent.getLocalPort()
                    + "/none?loginTimeout=60&connectTimeout=60";
            Path file = file(Map.of("one", url, "two", AWAY), relay("trades", receiver, ""));
            Cli.Ended checked =
                    Cli.baton("serve", "-c", file.toString(), "--check").run();
            assertThat(checked.err())
                    .contains("baton: one: Logs and subscriptions were not checked: ")
                    .contains("baton: two: Logs and subscriptions were not checked: ");
            assertThat(checked.code()).isZero();
        }
    }

    @Test
    void aSignalEndsTheWaitForAllOfThem() throws Exception {
        try (Receiver receiver = Receiver.start()) {
            Path file = file(Map.of("one", AWAY, "two", AWAY.replace(":1/", ":2/")), relay("trades", receiver, ""));
            try (Cli cli = Cli.baton("serve", "-c", file.toString(), "--database-wait", "1h")
                    .start()) {
                cli.awaitError("two: Waiting for the database: ");
                cli.signal("TERM");

                Cli.Ended ended = cli.awaitEnd();
                assertThat(ended.code()).isZero();
                assertThat(ended.err()).doesNotContain("Exception");
            }
        }
    }

    @Test
    void statusAndDoctorGoOverAllOfThem(TestDatabase database) throws Exception {
        try (Receiver receiver = Receiver.start();
                TestDatabase other = database.server().newDatabase()) {
            String both = relay("trades", receiver, "");
            Cli.baton("lead", "job", "--", "true").on(other.url()).run().succeeds();
            Path file = file(Map.of("one", database.url(), "two", other.url()), both);
            Cli.Ended people = Cli.baton("status", "-c", file.toString()).run().succeeds();
            assertThat(people.out().lines().findFirst().orElse("").strip().split(" {2,}"))
                    .startsWith("DATABASE", "LEADERSHIP", "LEADER");
            assertThat(people.out()).containsPattern("two +job +\\(nobody\\)");
            Cli.Ended healthy = Cli.baton("doctor", "-c", file.toString()).run();
            assertThat(healthy.out()).contains("one: postgres://").contains("two: postgres://");

            file(Map.of("one", database.url(), "two", other.url(), "away", AWAY), both);
            Cli.Ended programs =
                    Cli.baton("status", "-c", file.toString(), "--json").run();
            assertThat(programs.code()).isEqualTo(69);
            assertThat(programs.err()).startsWith("baton: away: ").hasLineCount(1);
            JsonNode databases = JsonMapper.shared().readTree(programs.out()).get("databases");
            assertThat(databases.valueStream().map(each -> each.get("name").asString()))
                    .containsExactly("away", "one", "two");
            assertThat(databases.get(0).get("trouble").isNull()).isFalse();
            assertThat(databases.get(2).get("trouble").isNull()).isTrue();
            assertThat(databases.get(2).get("leaderships").get(0).get("name").asString())
                    .isEqualTo("job");

            Cli.Ended sick =
                    Cli.baton("doctor", "-c", file.toString(), "--json").run();
            assertThat(sick.code()).isEqualTo(1);
            JsonNode found = JsonMapper.shared().readTree(sick.out()).get("databases");
            assertThat(found.get(0).get("findings").get(0).get("check").asString())
                    .isEqualTo("connection");
            assertThat(found.get(1).get("findings").size()).isGreaterThan(5);

            file(Map.of("away", AWAY), both);
            assertThat(Cli.baton("doctor", "-c", file.toString()).run().code()).isEqualTo(69);
        }
    }

    @Test
    void aFileWithOneDatabaseServesStatusAndDoctorToo(TestDatabase database) throws Exception {
        Path file = Files.writeString(folder.resolve("baton.yaml"), """
                database: {url: "%s"}
                relays:
                  - {name: trades, target: {stdout: }}
                """.formatted(database.url()));

        assertThat(JsonMapper.shared()
                        .readTree(Cli.baton("status", "-c", file.toString(), "--json")
                                .run()
                                .succeeds()
                                .out())
                        .propertyNames())
                .containsExactlyElementsOf(List.of("leaderships", "schedules", "subscriptions"));
        assertThat(Cli.baton("doctor", "-c", file.toString()).run().out()).startsWith("postgres://");
    }
}
