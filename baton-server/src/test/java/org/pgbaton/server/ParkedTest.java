package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code baton parked}: what is stuck, why, and how to get it going again. */
@BatonTest
class ParkedTest {
    @Test
    void whereNothingWaitsThereIsNoDataButAHint(TestDatabase database) throws Exception {
        assertThat(baton(database, "list").succeeds().err()).isEqualTo("No key waits.\n");
        assertThat(json(baton(database, "list", "--json").succeeds()).get("keys"))
                .isEmpty();
        baton(database, "list", "nothing").complains(78, "There is no subscription 'nothing'");
    }

    @Test
    void aParkedKeyIsShownWithWhatBlocksItAndWhy(TestDatabase database) throws Exception {
        try (Shop shop = Shop.open(database)) {
            long head = shop.park("P7", 2);

            Cli.Ended people = baton(database, "list", "balances").succeeds();
            assertThat(people.out().lines().findFirst().orElse("").strip().split(" {2,}"))
                    .containsExactly(
                            "SUBSCRIPTION",
                            "KEY",
                            "STATE",
                            "BLOCKED BY",
                            "WAITING",
                            "ATTEMPTS",
                            "SINCE",
                            "NEXT TRY",
                            "ERROR");
            assertThat(people.out())
                    .containsPattern("balances +P7 +parked +" + head + " +3 +1 +\\S.* ago +never +.*cannot swallow");
            JsonNode key = json(baton(database, "list", "--json").succeeds())
                    .get("keys")
                    .get(0);
            assertThat(key.get("key").asString()).isEqualTo("P7");
            assertThat(key.get("head").asLong()).isEqualTo(head);
            assertThat(key.get("waiting").asLong()).isEqualTo(3);
            assertThat(key.get("error").asString()).contains("cannot swallow");
            assertThat(key.get("nextAttemptAt").isNull()).isTrue();

            assertThat(baton(database, "show", "balances", "P7", "--limit", "2").succeeds())
                    .satisfies(shown -> assertThat(shown.out())
                            .startsWith("Key 'P7' of subscription 'balances' is parked, blocked by message " + head)
                            .contains("3 messages in all")
                            .contains("{\"poison\": 1.10}"))
                    .satisfies(shown -> assertThat(shown.err()).contains("and 1 more"));
            JsonNode shown =
                    json(baton(database, "show", "balances", "P7", "--json").succeeds());
            assertThat(shown.get("messages")).hasSize(3);
            assertThat(shown.get("messages").get(0).get("payload").has("poison"))
                    .isTrue();
            assertThat(Cli.baton("subscriptions", "list")
                            .on(database.url())
                            .run()
                            .out())
                    .containsPattern(" 1 ");
        }
    }

    @Test
    void aRetryThatSucceedsLetsTheWholeKeyGoOn(TestDatabase database) throws Exception {
        try (Shop shop = Shop.open(database)) {
            shop.park("P7", 2);
            shop.cure();
            Cli.Ended some = baton(database, "retry", "balances", "P7", "P9");

            assertThat(some.code()).isEqualTo(1);
            assertThat(some.err())
                    .contains("Key 'P9' of subscription 'balances' waits for no retry.")
                    .contains("1 key is tried again.");
            shop.awaitCount("P7", 3);
        }
    }

    @Test
    void allKeysWithTheSameErrorAreTriedTogether(TestDatabase database) throws Exception {
        try (Shop shop = Shop.open(database)) {
            shop.park("P7", 0);
            shop.park("P8", 0);
            shop.cure();

            assertThat(retried(database, "no such error")).isZero();
            assertThat(retried(database, "cannot swallow")).isEqualTo(2);
            shop.awaitCount("P7", 1);
            shop.awaitCount("P8", 1);
        }
    }

    private static int retried(TestDatabase database, String error) {
        Cli.Ended ended = baton(database, "retry", "balances", "--all", "--error", error, "--json");
        return json(ended.succeeds()).get("retried").asInt();
    }

    @Test
    void aSkipSaysWhatItSkipsAndLetsTheRestGoOn(TestDatabase database) throws Exception {
        try (Shop shop = Shop.open(database)) {
            long head = shop.park("P7", 2);
            String position = Long.toString(head);

            baton(database, "skip", "balances", "P7", position).complains(64, "Missing required option: '--reason");
            baton(database, "skip", "balances", "P7", "1234", "--reason", "x", "--yes")
                    .complains(78, "is blocked by message " + head + ", not by 1234");
            baton(database, "skip", "balances", "P9", position, "--reason", "x", "--yes")
                    .complains(78, "Key 'P9' of subscription 'balances' does not wait");
            baton(database, "skip", "balances", "P7", position, "--reason", "x")
                    .complains(
                            64,
                            "This skips message " + head
                                    + " of key 'P7' in subscription 'balances'; 2 messages of that key wait behind "
                                    + "it; alive: shop. There is no terminal to ask at: add --yes");

            baton(database, "skip", "balances", "P7", position, "--reason", "a test booking", "--yes")
                    .succeeds();
            shop.awaitCount("P7", 2);
            assertThat(
                            database.one(
                                    "SELECT what || ', ' || reason || ', ' || detail FROM baton.action ORDER BY id DESC LIMIT 1"))
                    .isEqualTo("skip, a test booking, message " + head + " of key 'P7'");
        }
    }

    @Test
    void anExportIsOneObjectInEachLineAsItWasWritten(TestDatabase database, @TempDir Path folder) throws Exception {
        try (Shop shop = Shop.open(database)) {
            shop.park("P7", 0);
            Shop.append(database, "P7", "{\"a\":\n  1e400,\t\"ü\": \"x\\ny\"}");
            await().atMost(Cli.PATIENCE)
                    .until(() -> database.one("SELECT count(*) FROM baton.parked_message")
                            .equals("2"));

            Path file = folder.resolve("P7.jsonl");
            Cli.Ended toFile = baton(database, "export", "balances", "P7", "--out", file.toString())
                    .succeeds();
            assertThat(toFile.out()).isEmpty();
            assertThat(toFile.err()).isEqualTo("Wrote 2 messages to " + file + ".\n");
            List<String> lines = Files.readAllLines(file);
            assertThat(lines).hasSize(2);
            assertThat(lines.get(0)).contains("\"payload\":{\"poison\": 1.10}");
            assertThat(lines.get(1)).contains("\"payload\":{\"a\":   1e400, \"ü\": \"x\\ny\"}");
            assertThat(JsonMapper.shared().readTree(lines.get(0)).get("key").asString())
                    .isEqualTo("P7");

            assertThat(baton(database, "export", "balances", "P7")
                            .succeeds()
                            .out()
                            .lines())
                    .containsExactlyElementsOf(lines);
            baton(
                            database,
                            "export",
                            "balances",
                            "P7",
                            "--out",
                            folder.resolve("no/file").toString())
                    .complains(64, "cannot be written");
        }
    }

    @Test
    void whichKeysMustBeClear(TestDatabase database) {
        baton(database, "retry", "balances").complains(64, "Name them, or say --all");
        baton(database, "retry", "balances", "P7", "--all").complains(64, "give one of the two");
        baton(database, "retry", "balances", "P7", "--error", "x").complains(64, "add --all");
        baton(database, "skip", "balances", "P7", "first", "--reason", "x").complains(64, "'first' is no whole number");
    }

    private static Cli.Ended baton(TestDatabase database, String... arguments) {
        String[] all = new String[arguments.length + 1];
        all[0] = "parked";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return Cli.baton(all).on(database.url()).run();
    }

    private static JsonNode json(Cli.Ended ended) {
        return JsonMapper.shared().readTree(ended.out());
    }
}
