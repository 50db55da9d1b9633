package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.dashboard.Dashboard;
import org.pgbaton.dashboard.http.Answer;
import org.pgbaton.dashboard.http.Request;
import org.pgbaton.dashboard.http.Role;
import org.pgbaton.dashboard.http.Viewer;
import org.pgbaton.log.Draft;
import org.pgbaton.schedule.Schedules;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The API of the dashboard reads the tables by statements of its own. What it says of a database with a bit of everything is what
 * {@code status}, {@code parked list} and {@code captures list} say with {@code --json}: the same names, the same values.
 */
@BatonTest
class TheApiSaysWhatTheCommandsSayTest {
    /** They change while nothing happens: ages and what the server's WAL has grown by. */
    private static final Set<String> GROWING = Set.of("lagSeconds", "retainedBytes", "behindBytes");

    private final List<Baton> workers = new ArrayList<>();

    @Test
    void ofADatabaseWithABitOfEverything(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (k text PRIMARY KEY)");
        try (Baton console = database.baton("console");
                Connection writer = database.connect()) {
            populate(database, console);
            holdBack(writer);

            List<String> parts = List.of("leaderships", "schedules", "subscriptions");
            JsonNode status = compare(database, console, "/status", parts, "status");
            JsonNode subscriptions = status.get("subscriptions");
            JsonNode keys = compare(database, console, "/parked", List.of("keys"), "parked", "list")
                    .get("keys");
            compare(database, console, "/captures", List.of("captures"), "captures", "list");

            assertThat(keys.valueStream().map(key -> key.get("state").asString()))
                    .as("both kinds of keys were there to compare")
                    .contains("parked", "retrying");
            assertThat(subscriptions
                            .valueStream()
                            .filter(each -> each.get("behind").asLong() > 0))
                    .as("somebody was behind")
                    .isNotEmpty();
            assertThat(subscriptions
                            .valueStream()
                            .filter(each -> !each.get("heldBackBy").isNull()))
                    .as("somebody was held back")
                    .isNotEmpty();
            writer.rollback();
        } finally {
            workers.forEach(Baton::close);
        }
    }

    private void populate(TestDatabase database, Baton console) throws Exception {
        console.logs().create("orders");
        for (String who : List.of("alpha", "beta")) {
            Baton worker = database.baton(who);
            workers.add(worker);
            worker.leadership("settlement").campaign(term -> {});
            worker.subscription("balances")
                    .on("events")
                    .attempts(1)
                    .react((message, epoch) -> refuse(message.text()))
                    .start();
            worker.subscription("mails")
                    .on("events")
                    .attempts(9)
                    .backoff(Duration.ofHours(1), Duration.ofHours(1))
                    .react((message, epoch) -> refuse(message.text()))
                    .start();
            worker.subscription("ledger")
                    .on("orders")
                    .order(MessageOrder.TOTAL)
                    .react((message, epoch) -> {})
                    .start();
            worker.subscription("reports")
                    .on("orders")
                    .react((message, epoch) -> {})
                    .start();
        }
        workers.get(0)
                .subscription("reports")
                .target("v2")
                .on("orders")
                .react((message, epoch) -> {})
                .start();
        workers.get(0).capture("alerts").table("alert").start();
        Schedules.of(workers.get(1))
                .schedule("nightly")
                .cron("0 3 * * *", ZoneOffset.UTC)
                .run((due, term) -> {});
        try (Baton gone = database.baton("gone")) {
            gone.leadership("vacant").lead();
        }
        for (int i = 0; i < 40; i++) {
            console.log("events")
                    .append(Draft.json("{\"bad\": " + (i % 4 == 0) + "}").key("K" + i % 12));
            console.log("orders").append(Draft.json("{}").key("O" + i % 5));
        }
        database.execute("INSERT INTO alert VALUES ('a'), ('b')");
        for (String subscription : List.of("balances", "ledger", "reports")) {
            database.drainExceptParked(subscription, Duration.ofSeconds(60));
        }
        console.subscriptions().by("olga").pause("reports", "the printer is out of paper");
        // Until the members see the pause, they go on and may handle the next message.
        await().atMost(Cli.PATIENCE)
                .until(() -> workers.stream()
                        .flatMap(worker -> worker.health().subscriptions().stream())
                        .filter(each ->
                                each.name().equals("reports") && !each.target().equals("v2"))
                        .allMatch(each -> each.state() == SubscriptionState.PAUSED));
        console.log("orders").append(Draft.json("{}").key("late"));
        database.drain("ledger", Duration.ofSeconds(60));
    }

    private static void refuse(String text) {
        if (text.contains("true")) {
            throw new IllegalStateException("cannot swallow " + text);
        }
    }

    /** An open transaction that has written to a log. */
    private static void holdBack(Connection writer) throws SQLException {
        writer.setAutoCommit(false);
        try (Statement insert = writer.createStatement()) {
            insert.execute("INSERT INTO baton.events (key, payload) VALUES ('K1', '{}')");
        }
    }

    /**
     * The command is asked between two answers of the API. If something changed meanwhile, the next try is quiet; a value that differs for
     * another reason differs each time.
     *
     * @return what both say
     */
    private static JsonNode compare(
            TestDatabase database, Baton baton, String path, List<String> lists, String... command) {
        List<String> words = new ArrayList<>(List.of(command));
        words.add("--json");
        AtomicReference<JsonNode> said = new AtomicReference<>();
        await().atMost(Cli.PATIENCE).untilAsserted(() -> {
            JsonNode before = api(baton, path);
            JsonNode between = JsonMapper.shared()
                    .readTree(Cli.baton(words.toArray(String[]::new))
                            .on(database.url())
                            .run()
                            .succeeds()
                            .out());
            JsonNode after = api(baton, path);
            assertThat(between.propertyNames()).containsExactlyInAnyOrderElementsOf(lists);
            assertThat(after.propertyNames()).containsExactlyInAnyOrderElementsOf(lists);
            for (String list : lists) {
                compare(list, before.get(list), between.get(list), after.get(list));
            }
            said.set(between);
        });
        return Objects.requireNonNull(said.get());
    }

    private static void compare(String list, JsonNode before, JsonNode between, JsonNode after) {
        assertThat(between).as(list).isNotEmpty();
        assertThat(steady(after)).as("%s of the API", list).isEqualTo(steady(between));
        for (int i = 0; i < between.size(); i++) {
            for (String name : GROWING) {
                inBetween(
                        before.get(i).get(name),
                        between.get(i).get(name),
                        after.get(i).get(name),
                        name);
            }
        }
    }

    private static void inBetween(JsonNode before, JsonNode between, JsonNode after, String name) {
        if (between == null || between.isNull() || before == null || after == null) {
            assertThat(before).as(name).isEqualTo(between);
            assertThat(after).as(name).isEqualTo(between);
            return;
        }
        assertThat(between.asDouble()).as(name).isBetween(before.asDouble(), after.asDouble());
    }

    /** In one order, without what grows, and without the age of the transaction that holds others back. */
    private static List<String> steady(JsonNode list) {
        List<String> all = new ArrayList<>();
        for (JsonNode each : list) {
            ObjectNode object = each.deepCopy().asObject();
            GROWING.forEach(object::remove);
            all.add(object.toPrettyString().replaceAll("open for [0-9:]+", "open for some time"));
        }
        return all;
    }

    /** A dashboard of its own has not looked yet, so that it looks now. */
    private static JsonNode api(Baton baton, String path) throws InterruptedException {
        Answer answer = Dashboard.of(baton)
                .build()
                .answer(new Request(
                        "GET", "/api/v1" + path, Map.of(), Map.of(), Map.of(), new Viewer("rita", Role.READER, false)));
        Answer.Whole whole = (Answer.Whole) answer;
        assertThat(whole.status()).isEqualTo(200);
        return JsonMapper.shared().readTree(whole.body());
    }
}
