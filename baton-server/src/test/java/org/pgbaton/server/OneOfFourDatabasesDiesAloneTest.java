package org.pgbaton.server;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.embedded.PostgresServer;
import org.pgbaton.embedded.StopMode;
import org.pgbaton.shard.Shards;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Keys are spread over four databases, each on a server of its own, and one process serves all of them. One server is killed in mid-run: the other
 * three do not notice; afterwards nothing is missing, and every key came in its order.
 */
class OneOfFourDatabasesDiesAloneTest {
    private static final int KEYS = 48;
    private static final int EACH = 20;

    private final Map<String, TestServer> servers = new LinkedHashMap<>();
    private final Map<String, TestDatabase> databases = new LinkedHashMap<>();

    @TempDir
    private Path folder;

    @Test
    void theOthersGoOnAndNothingIsLostOrOutOfOrder() throws Exception {
        try (Receiver receiver = Receiver.start()) {
            for (int i = 1; i <= 4; i++) {
                TestServer server = TestServer.start(Map.of());
                servers.put("orders-" + i, server);
                databases.put("orders-" + i, server.newDatabase());
            }
            proof(receiver);
        } finally {
            servers.values().forEach(TestServer::close);
        }
    }

    private void proof(Receiver receiver) throws Exception {
        Shards<String> shards = Shards.evenly(64, List.copyOf(databases.keySet()));
        Path file = Files.writeString(
                folder.resolve("baton.yaml"),
                "databases:\n"
                        + databases.entrySet().stream()
                                .map(each -> "  " + each.getKey() + ": {url: \""
                                        + each.getValue().url() + "\"}\n")
                                .collect(Collectors.joining())
                        + "relays:\n  - {name: trades, batch: 5, target: {webhook: {url: \"" + receiver.url("/hook")
                        + "\", allow-private: true}}}\n");
        server("orders-4").stop(StopMode.FAST);
        try (Served served = Served.startUntil("is running.", null, file)) {
            await().atMost(Cli.PATIENCE)
                    .until(() -> readyNames(served).equals(List.of("orders-1", "orders-2", "orders-3")));
            server("orders-4").start(); // late, and tried again
            await().atMost(Cli.PATIENCE).until(() -> readyNames(served).size() == 4);
            for (TestDatabase database : databases.values()) {
                theDatabaseComputesTheSameShards(database);
            }
            CountDownLatch killed = new CountDownLatch(1);
            Map<String, CompletableFuture<Void>> writers = new LinkedHashMap<>();
            Map<String, CountDownLatch> halfWay = new LinkedHashMap<>();
            databases.forEach((name, database) -> {
                CountDownLatch half = new CountDownLatch(1);
                halfWay.put(name, half);
                List<String> keys =
                        keys().filter(key -> shards.get(key).equals(name)).toList();
                assertThat(keys).isNotEmpty();
                writers.put(name, CompletableFuture.runAsync(() -> write(database, keys, half, killed)));
            });
            for (CountDownLatch half : halfWay.values()) {
                half.await();
            }
            server("orders-2").stop(StopMode.IMMEDIATE);
            killed.countDown();

            // The others bring everything to its end while it is dead.
            for (String other : List.of("orders-1", "orders-3", "orders-4")) {
                requireNonNull(writers.get(other)).join();
            }
            await().atMost(Cli.PATIENCE)
                    .until(() -> keys().filter(key -> !shards.get(key).equals("orders-2"))
                            .allMatch(key -> numbers(receiver, key).size() == EACH));
            await().atMost(Cli.PATIENCE)
                    .until(() -> served.get("/readyz/orders-2").statusCode() == 503);
            assertThat(readyNames(served)).containsExactly("orders-1", "orders-3", "orders-4");
            assertThat(served.get("/readyz").statusCode()).isEqualTo(200);
            assertThat(served.get("/livez").statusCode()).isEqualTo(200);
            Cli.Ended status = Cli.baton("status", "-c", file.toString()).run();
            assertThat(status.code()).isEqualTo(69);
            assertThat(status.err()).startsWith("baton: orders-2: ");
            assertThat(status.out())
                    .contains("orders-1", "orders-3", "orders-4")
                    .doesNotContain("orders-2");

            server("orders-2").start();
            requireNonNull(writers.get("orders-2")).join();
            await().atMost(Cli.PATIENCE)
                    .until(() -> keys().allMatch(key -> numbers(receiver, key).size() == EACH));
            await().atMost(Cli.PATIENCE).until(() -> readyNames(served).size() == 4);
            judge(receiver, shards);
        }
    }

    private PostgresServer server(String name) {
        return requireNonNull(servers.get(name)).postgres();
    }

    private void judge(Receiver receiver, Shards<String> shards) throws Exception {
        List<Integer> all = IntStream.rangeClosed(1, EACH).boxed().toList();
        keys().forEach(key ->
                assertThat(numbers(receiver, key)).as("the messages of %s", key).containsExactlyElementsOf(all));
        for (Receiver.Received each : receiver.all()) {
            if (!shards.get(each.key()).equals("orders-2")) {
                assertThat(each.header("baton-attempt")).as("tries of %s", each).isEqualTo("1");
            }
        }
        // A lane that changes hands gets another epoch, and a message that is sent again comes twice.
        for (String other : List.of("orders-1", "orders-3", "orders-4")) {
            List<Receiver.Received> theirs = receiver.all().stream()
                    .filter(each -> shards.get(each.key()).equals(other))
                    .toList();
            assertThat(theirs.stream().map(each -> each.key() + each.body())).doesNotHaveDuplicates();
            assertThat(theirs.stream()
                            .collect(Collectors.groupingBy(
                                    Receiver.Received::key,
                                    Collectors.mapping(each -> each.header("baton-epoch"), Collectors.toSet())))
                            .values())
                    .allSatisfy(epochs -> assertThat(epochs).hasSize(1));
        }
        for (Map.Entry<String, TestDatabase> each : databases.entrySet()) {
            long theirs =
                    keys().filter(key -> shards.get(key).equals(each.getKey())).count();
            assertThat(each.getValue().one("SELECT count(*) FROM baton.outbox")).isEqualTo("" + theirs * EACH);
        }
    }

    private static java.util.stream.Stream<String> keys() {
        return IntStream.rangeClosed(1, KEYS).mapToObj(i -> "order-" + i);
    }

    /** What came of a key, in the order in which it came for the first time. */
    private static List<Integer> numbers(Receiver receiver, String key) {
        List<Integer> numbers = new ArrayList<>();
        for (Receiver.Received each : receiver.all()) {
            int number = each.key().equals(key)
                    ? JsonMapper.shared().readTree(each.body()).get("n").asInt()
                    : 0;
            if (number > 0 && !numbers.contains(number)) {
                numbers.add(number);
            }
        }
        return numbers;
    }

    private static List<String> readyNames(Served served) throws Exception {
        return served.readiness()
                .get("databases")
                .valueStream()
                .filter(each -> each.get("ready").asBoolean())
                .map((JsonNode each) -> each.get("name").asString())
                .toList();
    }

    /** Writes the messages of its keys one after the other. Goes on after the first half when the server was killed. */
    private static void write(TestDatabase database, List<String> keys, CountDownLatch half, CountDownLatch killed) {
        for (int n = 1; n <= EACH; n++) {
            if (n == EACH / 2) {
                half.countDown();
            }
            if (n == EACH / 2 + 2) { // some messages are under way when the server is killed
                awaited(killed);
            }
            for (String key : keys) {
                untilItIsThere(database, key, n);
            }
        }
    }

    private static void awaited(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException ended) {
            throw new IllegalStateException(ended);
        }
    }

    /** A commit whose answer was lost may have happened: look before writing again. */
    private static void untilItIsThere(TestDatabase database, String key, int n) {
        await().atMost(Cli.PATIENCE).until(() -> {
            try (Connection connection = database.connect();
                    PreparedStatement insert = connection.prepareStatement("""
                            INSERT INTO baton.outbox (topic, key, payload)
                            SELECT 'orders', ?, json_build_object('n', ?)
                             WHERE NOT EXISTS (SELECT FROM baton.outbox WHERE key = ? AND payload ->> 'n' = ?)""")) {
                insert.setString(1, key);
                insert.setInt(2, n);
                insert.setString(3, key);
                insert.setString(4, Integer.toString(n));
                insert.executeUpdate();
                return true;
            } catch (SQLException away) {
                return false;
            }
        });
    }

    /** The expression of the documentation. */
    private static void theDatabaseComputesTheSameShards(TestDatabase database) throws Exception {
        try (Connection connection = database.connect();
                PreparedStatement query = connection.prepareStatement("""
                        SELECT key, ('x' || encode(substr(sha256(convert_to(key, 'UTF8')), 5, 4), 'hex'))::bit(32)::bigint % 64
                          FROM unnest(ARRAY['', 'a', 'P7', 'order-4711', 'Grüße 🎼', repeat('x', 1000)]) key""");
                ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                assertThat(Shards.shardOf(rows.getString(1), 64)).isEqualTo(rows.getInt(2));
            }
        }
    }
}
