package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.subscription.SubscriptionStatus;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code baton subscriptions}: what operators see, and what they do, which is recorded under their name. */
@BatonTest
class SubscriptionsTest {
    @Test
    void whereNothingIsSubscribedThereIsNoDataButAHint(TestDatabase database) {
        Cli.Ended people = baton(database, "list").succeeds();
        assertThat(people.out()).isEmpty();
        assertThat(people.err()).startsWith("There is no subscription here yet").hasLineCount(1);

        assertThat(json(baton(database, "list", "--json").succeeds()).get("subscriptions"))
                .isEmpty();
        assertThat(baton(database, "actions").succeeds().err()).startsWith("Nobody has done anything");
    }

    @Test
    void aSubscriptionIsShownWithItsMembersAndItsLag(TestDatabase database) throws Exception {
        try (Shop shop = Shop.open(database)) {
            Shop.append(database, "a", "{}");
            shop.awaitCount("a", 1);

            Cli.Ended people = baton(database, "list").succeeds();
            assertThat(people.out().lines()).hasSize(2);
            assertThat(people.out().lines().findFirst().orElse("").strip().split(" {2,}"))
                    .containsExactly(
                            "SUBSCRIPTION",
                            "TARGET",
                            "LOG",
                            "STATE",
                            "MEMBERS",
                            "LANES",
                            "POSITION",
                            "BEHIND",
                            "LAG",
                            "PARKED",
                            "NOTE");
            assertThat(people.out()).containsPattern("balances +- +events +running +1 +16/16 ");
            assertThat(people.err()).isEmpty();

            JsonNode one = json(baton(database, "list", "--json").succeeds())
                    .get("subscriptions")
                    .get(0);
            assertThat(one.get("name").asString()).isEqualTo("balances");
            assertThat(one.get("state").asString()).isEqualTo("running");
            assertThat(one.get("members").get(0).asString()).isEqualTo("shop");
            assertThat(one.get("lanes").asInt()).isEqualTo(16);
            assertThat(one.get("parkedKeys").asInt()).isZero();
            assertThat(one.get("lagSeconds").asDouble()).isNotNegative();

            JsonNode status =
                    json(Cli.baton("status", "--json").on(database.url()).run().succeeds());
            assertThat(status.get("leaderships")).isEmpty();
            assertThat(status.get("subscriptions").get(0).get("name").asString())
                    .isEqualTo("balances");
            assertThat(Cli.baton("status").on(database.url()).run().succeeds().out())
                    .contains("SUBSCRIPTION");
        }
    }

    @Test
    void oneIsShownLaneByLane(TestDatabase database) throws Exception {
        try (Shop shop = Shop.open(database)) {
            await().atMost(Cli.PATIENCE).until(() -> shop.status().ownership().owned() == 16);

            assertThat(baton(database, "show", "balances").succeeds().out())
                    .contains("subscription  balances")
                    .contains("members       shop")
                    .contains("LANE")
                    .containsPattern("15 +shop ");
            JsonNode target = json(baton(database, "show", "balances", "--json").succeeds())
                    .get("targets")
                    .get(0);
            assertThat(target.get("laneStatus")).hasSize(16);
            assertThat(target.get("laneStatus").get(7).get("owner").asString()).isEqualTo("shop");
        }
    }

    @Test
    void watchingShowsItAgainUntilCtrlC(TestDatabase database) throws Exception {
        try (Shop shop = Shop.open(database);
                Cli watch = Cli.baton("subscriptions", "list", "--watch")
                        .on(database.url())
                        .start()) {
            assertThat(shop.status().live()).isTrue();
            await().atMost(Cli.PATIENCE)
                    .until(() -> watch.out()
                                    .lines()
                                    .filter(line -> line.contains("SUBSCRIPTION"))
                                    .count()
                            >= 2);
            watch.signal("INT");
            assertThat(watch.awaitEnd().code()).isEqualTo(130);
        }
    }

    @Test
    void aPauseHoldsUntilItIsResumedAndBothAreRecorded(TestDatabase database) throws Exception {
        try (Shop shop = Shop.open(database)) {
            baton(database, "pause", "balances", "--reason", "the bank is down").succeeds();
            assertThat(shop.status().state()).isEqualTo(SubscriptionStatus.State.PAUSED);
            assertThat(baton(database, "list").succeeds().out())
                    .contains("paused")
                    .contains("the bank is down");

            baton(database, "pause", "balances", "--target", "v2").complains(78, "has no target 'v2'");
            assertThat(baton(database, "resume", "balances").succeeds().err()).contains("goes on");
            assertThat(shop.status().state()).isEqualTo(SubscriptionStatus.State.RUNNING);
            Shop.append(database, "a", "{}");
            shop.awaitCount("a", 1);

            JsonNode actions =
                    json(baton(database, "actions", "--json").succeeds()).get("actions");
            assertThat(actions.get(0).get("what").asString()).isEqualTo("resume");
            assertThat(actions.get(0).get("reason").asString()).isEqualTo("by hand");
            assertThat(actions.get(1).get("what").asString()).isEqualTo("pause");
            assertThat(actions.get(1).get("reason").asString()).isEqualTo("the bank is down");
            assertThat(actions.get(1).get("who").asString()).startsWith(System.getProperty("user.name") + "@");
            assertThat(baton(database, "actions", "--limit", "1")
                            .succeeds()
                            .out()
                            .lines())
                    .hasSize(2);
        }
    }

    @Test
    void aRewindSaysHowManyMessagesAreHandledAgainAndWantsToBeSure(TestDatabase database) throws Exception {
        try (Shop shop = Shop.open(database)) {
            for (int i = 0; i < 3; i++) {
                Shop.append(database, "a", "{}");
            }
            shop.awaitCount("a", 3);

            String[] rewind = {"rewind", "balances", "--to", "origin", "--reason", "a fee was missing"};
            baton(database, rewind)
                    .complains(
                            64,
                            "This handles 3 messages again; alive: shop. There is no terminal to ask at: add --yes");
            assertThat(database.one("SELECT n FROM balance")).isEqualTo("3");

            Cli.Ended sure = baton(database, with(rewind, "--yes")).succeeds();
            assertThat(sure.err()).startsWith("This handles 3 messages again; alive: shop.\n");
            shop.awaitCount("a", 6);
        }
    }

    @Test
    void onATerminalItAsks(TestDatabase database) throws Exception {
        try (Shop shop = Shop.open(database)) {
            Shop.append(database, "a", "{}");
            shop.awaitCount("a", 1);

            Cli.Ended no = answered(database, "n\n", "rewind", "balances", "--to", "0", "--reason", "x");
            assertThat(no.code()).isEqualTo(1);
            assertThat(no.err()).contains("Go on? [y/N] Nothing was changed.");
            assertThat(answered(database, "", "rewind", "balances", "--to", "0", "--reason", "x")
                            .code())
                    .isEqualTo(1);
            assertThat(database.one("SELECT n FROM balance")).isEqualTo("1");

            answered(database, "y\n", "rewind", "balances", "--to", "0", "--reason", "x")
                    .succeeds();
            shop.awaitCount("a", 2);
        }
    }

    private static Cli.Ended answered(TestDatabase database, String answer, String... arguments) throws Exception {
        try (Cli cli = Cli.baton(with(new String[] {"subscriptions"}, arguments))
                .on(database.url())
                .withJavaOption("-Dbaton.terminal.input=true")
                .start()) {
            cli.type(answer);
            cli.closeInput();
            return cli.awaitEnd();
        }
    }

    @Test
    void whatIsNotThereOrMakesNoSenseIsNamed(TestDatabase database) throws Exception {
        Shop.open(database).close();

        baton(database, "pause", "balance")
                .complains(78, "There is no subscription 'balance'; did you mean 'balances'?");
        baton(database, "show", "nothing").complains(78, "There is no subscription 'nothing'.");
        baton(database, "rebuild", "balances", "--target", "v2", "--yes").complains(78, "has no target 'v2'");
        baton(database, "rebuild", "balances", "--target", "", "--yes").complains(64, "is live already");
        baton(database, "rebuild", "balances", "--target", "v2", "--sql", "/none")
                .complains(64, "/none cannot be read");
        baton(database, "rewind", "balances", "--to", "-1", "--reason", "x").complains(64, "--to -1 is no position");
        baton(database, "rewind", "balances", "--to", "origin").complains(64, "Missing required option: '--reason");
        baton(database, "delete", "balances").complains(64, "Missing required option: '--reason");
        baton(database, "actions", "--limit", "0").complains(64, "--limit 0 makes no sense");
        baton(database, "lst").complains(64, "There is no command 'lst'; did you mean 'list'?");
    }

    @Test
    void aPositionThatWasNotReachedYetIsRefused(TestDatabase database) throws Exception {
        Shop.open(database).close();

        Cli.Ended ended = baton(database, "rewind", "balances", "--to", "99", "--reason", "x", "--yes");
        assertThat(ended.code()).isEqualTo(78);
        assertThat(ended.err()).contains("cannot be rewound to 99: that would skip messages");
    }

    @Test
    void onlyWhatNobodyRunsCanBeDeleted(TestDatabase database) throws Exception {
        try (Shop shop = Shop.open(database)) {
            shop.park("P7", 1);
            baton(database, "delete", "balances", "--reason", "x", "--yes").complains(75, "has live members (shop)");
        }
        baton(database, "delete", "balances", "--reason", "not needed")
                .complains(
                        64,
                        "and that 2 messages of 1 key were never handled; a program that starts it again begins anew.");
        baton(database, "delete", "balances", "--reason", "not needed", "--yes").succeeds();

        assertThat(database.one("SELECT count(*) FROM baton.subscription")).isEqualTo("0");
        assertThat(database.one("SELECT count(*) FROM baton.parked")).isEqualTo("0");
    }

    @Test
    void aRebuiltTargetIsSwitchedToTogetherWithTheViewThatReadersUse(TestDatabase database, @TempDir Path folder)
            throws Exception {
        Path script = Files.writeString(
                folder.resolve("switch.sql"),
                "-- it's the new one\nCREATE OR REPLACE VIEW balances AS SELECT * FROM balance_v2;\nCOMMENT ON VIEW balances IS '$baton_do$';");
        try (Shop live = Shop.open(database)) {
            for (int i = 0; i < 100; i++) {
                Shop.append(database, "k" + i % 7, "{}");
            }
            live.awaitCount("k0", 15);
            database.execute("CREATE VIEW balances AS SELECT * FROM balance");
            String[] rebuild = {"rebuild", "balances", "--target", "_v2", "--sql", script.toString()};
            try (Shop beside = Shop.open(database, "_v2")) {
                baton(database, rebuild)
                        .complains(64, "the old target is retired and cannot commit anything any more (alive: shop)");

                Cli.Ended done = baton(database, with(rebuild, "--yes", "--reason", "fees"))
                        .succeeds();
                assertThat(done.out()).isEmpty();
                assertThat(done.err()).contains("Target '_v2' is live.");
                assertThat(beside.status().live()).isTrue();
                assertThat(live.status().state()).isEqualTo(SubscriptionStatus.State.RETIRED);
                assertThat(database.one("SELECT sum(n) FROM balances")).isEqualTo("100");

                Shop.append(database, "k0", "{}");
                beside.awaitCount("k0", 16);
                assertThat(database.one("SELECT n FROM balance WHERE key = 'k0'"))
                        .isEqualTo("15");
                assertThat(baton(database, "list").succeeds().out()).contains("- (retired)");
            }
        }
        baton(database, "delete", "balances", "--target", "", "--reason", "replaced", "--yes")
                .succeeds();
        assertThat(database.one("SELECT string_agg(target, ',') FROM baton.subscription"))
                .isEqualTo("_v2");
    }

    @Test
    void aScriptThatFailsOrCommitsChangesNothing(TestDatabase database, @TempDir Path folder) throws Exception {
        try (Shop live = Shop.open(database);
                Shop beside = Shop.open(database, "_v2")) {
            for (String sql : new String[] {
                "CREATE TABLE made (); COMMIT; CREATE TABLE made_too ()", "SELECT * FROM nowhere", "\\d"
            }) {
                Path script = Files.writeString(folder.resolve("switch.sql"), sql);
                Cli.Ended ended =
                        baton(database, "rebuild", "balances", "--target", "_v2", "--sql", script.toString(), "--yes");
                assertThat(ended.code()).as(sql).isEqualTo(64);
                assertThat(ended.err()).contains("switch.sql failed: ").endsWith("Nothing was changed.\n");
                assertThat(live.status().live()).isTrue();
                assertThat(beside.status().live()).isFalse();
                assertThat(database.one("SELECT to_regclass('made')")).isEqualTo("null");
            }
        }
    }

    @Test
    void aTargetWithParkedKeysIsNotSwitchedToUntilTheyAreHandled(TestDatabase database) throws Exception {
        try (Shop live = Shop.open(database)) {
            live.cure();
            try (Shop beside = Shop.open(database, "_v2")) {
                long head = beside.park("P7", 1);
                String[] rebuild = {"rebuild", "balances", "--target", "_v2", "--yes"};
                Cli.Ended refused = baton(database, rebuild);
                assertThat(refused.code()).isEqualTo(75);
                assertThat(refused.err())
                        .contains("has 1 parked key and is not complete")
                        .contains("with --target _v2.");

                Cli.Ended skipped = Cli.baton(
                                "parked",
                                "skip",
                                "balances",
                                "P7",
                                "" + head,
                                "--target",
                                "_v2",
                                "--reason",
                                "x",
                                "--yes")
                        .on(database.url())
                        .run()
                        .succeeds();
                assertThat(skipped.err()).contains("1 message of that key waits behind it; alive: shop_v2");
                beside.awaitCount("P7", 1);
                live.awaitCount("P7", 2);
                assertThat(database.one("SELECT detail FROM baton.action ORDER BY id DESC LIMIT 1"))
                        .isEqualTo("message " + head + " of key 'P7', target '_v2'");
                await().atMost(Cli.PATIENCE).until(() -> beside.status().keys().parked() == 0);
                baton(database, rebuild).succeeds();
            }
        }
    }

    @Test
    void aTargetThatDoesNotCatchUpIsWaitedForInVain(TestDatabase database) throws Exception {
        try (Shop live = Shop.open(database)) {
            Shop.open(database, "_v2").close();
            for (int i = 0; i < 20; i++) {
                Shop.append(database, "k" + i, "{}");
            }
            live.awaitCount("k19", 1);

            Cli.Ended ended = baton(database, "rebuild", "balances", "--target", "_v2", "--yes", "--timeout", "1500ms");
            assertThat(ended.code()).isEqualTo(75);
            assertThat(ended.err())
                    .contains("positions behind; no member of it is alive\n")
                    .contains("positions behind; nothing was changed.");
            assertThat(live.status().live()).isTrue();
        }
    }

    private static Cli.Ended baton(TestDatabase database, String... arguments) {
        return Cli.baton(with(new String[] {"subscriptions"}, arguments))
                .on(database.url())
                .run();
    }

    private static String[] with(String[] arguments, String... more) {
        String[] all = java.util.Arrays.copyOf(arguments, arguments.length + more.length);
        System.arraycopy(more, 0, all, arguments.length, more.length);
        return all;
    }

    private static JsonNode json(Cli.Ended ended) {
        return JsonMapper.shared().readTree(ended.out());
    }
}
