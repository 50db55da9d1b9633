package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code baton serve}: the relays of a file run, share the work with others, and say how they are. */
@BatonTest
class ServeTest {
    @TempDir
    private Path folder;

    @Test
    void rowsOfTheOutboxReachTheWebhook(TestDatabase database) throws Exception {
        try (Receiver receiver = Receiver.start();
                Served served = Served.start(database.url(), Served.relayTo(receiver.url("/hook"), folder))) {
            database.execute("""
                    INSERT INTO baton.outbox (topic, key, payload, headers)
                    VALUES ('trades', 'P7', '{"amount" : 1.10}', '{"traceparent": "00-4bf9"}')""");
            await().atMost(Cli.PATIENCE).until(() -> receiver.all().size() == 1);

            Receiver.Received received = receiver.all().get(0);
            assertThat(received.path()).isEqualTo("/hook");
            assertThat(received.body()).isEqualTo("{\"amount\" : 1.10}");
            assertThat(received.headers())
                    .containsEntry("webhook-id", database.one("SELECT id FROM baton.outbox"))
                    .containsEntry("baton-topic", "trades")
                    .containsEntry("baton-key", "P7")
                    .containsEntry("baton-position", database.one("SELECT position FROM baton.outbox"))
                    .containsEntry("baton-attempt", "1")
                    .containsEntry("traceparent", "00-4bf9")
                    .containsKeys("webhook-timestamp", "baton-epoch")
                    .doesNotContainKey("webhook-signature");

            assertThat(served.cli().err())
                    .contains(" serves 1 relay of " + folder.resolve("baton.yaml") + " on postgres://")
                    .contains("baton: Relay 'trades': log 'outbox' to webhook " + receiver.url("/hook")
                            + ", in order per key.")
                    .contains("baton: Relay 'trades' is running.");
            assertThat(served.cli().out()).isEmpty();
        }
    }

    @Test
    void processesShareTheWorkAndWhenOneIsKilledTheOtherGoesOn(TestDatabase database) throws Exception {
        try (Receiver receiver = Receiver.start()) {
            Path file = Served.relayTo(receiver.url("/hook"), folder);
            try (Served first = Served.start(database.url(), file);
                    Served second = Served.start(database.url(), file)) {
                await().atMost(Cli.PATIENCE).until(() -> first.lanes() == 8 && second.lanes() == 8);
                Served.send(database, 50, 5);
                await().atMost(Cli.PATIENCE).until(() -> receiver.all().size() == 250);
                assertThat(first.meter("baton_subscription_handled_total")).isPositive();
                assertThat(second.meter("baton_subscription_handled_total")).isPositive();

                Served.send(database, 50, 20);
                first.cli().signal("KILL");
                Served.send(database, 50, 5);
                await().atMost(Cli.PATIENCE)
                        .until(() -> receiver.firstDeliveries().values().stream()
                                        .mapToInt(List::size)
                                        .sum()
                                == 50 * 30);

                receiver.firstDeliveries()
                        .values()
                        .forEach(positions -> assertThat(positions).isSorted());
                await().atMost(Cli.PATIENCE).until(() -> second.lanes() == 16);
            }
        }
    }

    @Test
    void onSigtermWhatWasBegunIsBroughtToItsEnd(TestDatabase database) throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        try (Receiver receiver = Receiver.start()) {
            receiver.answer(received -> after(answer));
            Path file = Served.relayTo(receiver.url("/hook"), folder, "slow-key: 30s");
            try (Served served = Served.start(database.url(), file)) {
                Served.send(database, 1, 1);
                await().atMost(Cli.PATIENCE).until(() -> receiver.all().size() == 1);
                served.cli().signal("TERM");
                served.cli().awaitError("SIGTERM: finishing the work in progress");
                await().atMost(Cli.PATIENCE).until(() -> served.get("/readyz").statusCode() == 503);
                assertThat(served.get("/livez").statusCode()).isEqualTo(200);
                answer.countDown();

                Cli.Ended ended = served.cli().awaitEnd();
                assertThat(ended.code()).isZero();
                assertThat(ended.err()).endsWith("baton: Ended.\n");
            }
            database.drain("trades", Cli.PATIENCE); // nobody runs it: it is recorded
            Served.send(database, 1, 1);
            try (Served next = Served.start(database.url(), file)) {
                await().atMost(Cli.PATIENCE).until(() -> receiver.all().size() == 2);
                assertThat(receiver.firstDeliveries().get("P1")).hasSize(2);
                next.cli().signal("INT");
                assertThat(next.cli().awaitEnd().code()).isZero();
            }
        }
    }

    private static int after(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException closing) {
            return 500;
        }
        return 204;
    }

    @Test
    void aSecondSignalEndsAtOnce(TestDatabase database) throws Exception {
        try (Receiver receiver = Receiver.start();
                Served served = Served.start(database.url(), Served.relayTo(receiver.url("/hook"), folder))) {
            receiver.answer(received -> after(new CountDownLatch(1)));
            Served.send(database, 1, 1);
            await().atMost(Cli.PATIENCE).until(() -> receiver.all().size() == 1);
            served.cli().signal("TERM");
            served.cli().awaitError("SIGTERM");
            served.cli().signal("INT");

            Cli.Ended ended = served.cli().awaitEnd();
            assertThat(ended.code()).isEqualTo(130);
            assertThat(ended.err()).contains("A second signal (SIGINT): ending at once.");
        }
    }

    @Test
    void aTargetThatIsGoneOrAwayEndsNeitherTheProcessNorOtherRelays(TestDatabase database) throws Exception {
        try (Receiver receiver = Receiver.start()) {
            receiver.answer(received -> switch (received.path()) {
                case "/gone" -> 410;
                case "/away" -> 503;
                default -> 204;
            });
            Path file = Files.writeString(folder.resolve("baton.yaml"), """
                    relays:
                      - {name: trades, target: {webhook: {url: "%1$s/good", allow-private: true}}}
                      - {name: gone, target: {webhook: {url: "%1$s/gone", allow-private: true}}}
                      - {name: away, target: {webhook: {url: "%1$s/away", allow-private: true}}}
                    """.formatted(receiver.url("")));
            try (Served served = Served.start(database.url(), file)) {
                Served.send(database, 20, 1);
                served.cli().awaitError("Relay 'gone' is stopped: ");
                served.cli().awaitError("Relay 'away' is running, with trouble: ");
                await().atMost(Cli.PATIENCE).until(() -> receiver.at("/good").size() == 20);

                HttpResponse<String> ready = served.get("/readyz");
                assertThat(ready.statusCode()).isEqualTo(200);
                JsonNode relays = JsonMapper.shared().readTree(ready.body()).get("relays");
                assertThat(relays.valueStream()
                                .map(relay -> relay.get("name").asString() + " "
                                        + relay.get("state").asString() + " "
                                        + relay.get("healthy").asBoolean()))
                        .containsExactly("trades running true", "gone stopped false", "away running false");
                assertThat(relays.get(1).get("trouble").asString()).contains("410");

                receiver.answer(received -> 204);
                await().atMost(Cli.PATIENCE)
                        .until(() -> receiver.at("/away").stream()
                                        .map(Receiver.Received::position)
                                        .distinct()
                                        .count()
                                == 20);
                served.cli().awaitError("Relay 'away' is running, and the trouble is over.");
                assertThat(served.cli().isAlive()).isTrue();
            }
        }
    }

    @Test
    void thePagesSayHowItIs(TestDatabase database) throws Exception {
        try (Receiver receiver = Receiver.start();
                Served served = Served.start(database.url(), Served.relayTo(receiver.url("/hook"), folder))) {
            assertThat(served.get("/livez").body()).isEqualTo("{\"alive\":true}\n");
            JsonNode ready = served.readiness();
            assertThat(ready.get("ready").asBoolean()).isTrue();
            assertThat(ready.get("database").asString()).isEqualTo("reachable");

            Served.send(database, 10, 1);
            await().atMost(Cli.PATIENCE).until(() -> served.meter("baton_subscription_handled_total") >= 1);
            HttpResponse<String> metrics = served.get("/metrics");
            assertThat(metrics.headers().firstValue("Content-Type"))
                    .hasValue("text/plain; version=0.0.4; charset=utf-8");
            assertThat(metrics.body())
                    .contains("# TYPE baton_subscription_handled_total counter")
                    .contains("jvm_memory_used_bytes");

            assertThat(served.get("/").statusCode()).isEqualTo(200);
            assertThat(served.get("/livez/x").statusCode()).isEqualTo(404);
            assertThat(served.send("POST", "/readyz").statusCode()).isEqualTo(405);
            HttpResponse<String> head = served.send("HEAD", "/readyz");
            assertThat(head.statusCode()).isEqualTo(200);
            assertThat(head.body()).isEmpty();
        }
    }

    @Test
    void messagesCanBePrintedToTryThingsOut(TestDatabase database) throws Exception {
        Files.writeString(folder.resolve("baton.yaml"), """
                relays:
                  - name: look
                    types: [Booked]
                    key-prefix: P
                    target:
                      stdout:
                """);
        try (Cli cli = Cli.baton("serve").in(folder).on(database.url()).start()) {
            cli.awaitError("is running.");
            database.execute("""
                    INSERT INTO baton.outbox (topic, key, type, payload) VALUES
                    ('trades', 'P1', 'Booked', '{"n":1.50}'), ('trades', 'P1', 'Moved', '{}'), ('trades', 'Q1', 'Booked', '{}'),
                    ('trades', 'P1', 'Booked', '{"n":2}')""");
            cli.awaitLine("{\"position\":4,");
            cli.signal("TERM");
            Cli.Ended ended = cli.awaitEnd();

            assertThat(ended.code()).isZero();
            List<JsonNode> lines = ended.out()
                    .lines()
                    .map(line -> JsonMapper.shared().readTree(line))
                    .toList();
            assertThat(lines).extracting(line -> line.get("position").asLong()).containsExactly(1L, 4L);
            assertThat(ended.out()).contains("\"payload\":{\"n\":1.50}").contains("\"attempt\":1");
            assertThat(ended.err()).contains("Relay 'look': log 'outbox' to standard output, in order per key.");
        }
    }

    @Test
    void inTotalOrderEverythingComesInTheOrderOfTheLog(TestDatabase database) throws Exception {
        try (Receiver receiver = Receiver.start()) {
            Path file = Files.writeString(folder.resolve("baton.yaml"), """
                    relays:
                      - name: trades
                        order: total
                        batch: 7
                        target:
                          webhook: {url: "%s", allow-private: true}
                    """.formatted(receiver.url("/hook")));
            try (Served served = Served.start(database.url(), file)) {
                Served.send(database, 10, 10);
                await().atMost(Cli.PATIENCE).until(() -> receiver.all().size() == 100);

                assertThat(receiver.all())
                        .extracting(Receiver.Received::position)
                        .containsExactlyElementsOf(
                                LongStream.rangeClosed(1, 100).boxed().toList());
                assertThat(served.lanes()).isEqualTo(1);
            }
        }
    }

    @Test
    void secretsAppearNowhere(TestDatabase database) throws Exception {
        String signing = "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0";
        Path file = Files.writeString(folder.resolve("baton.yaml"), """
                database: {url: "postgres://ignored:s3cretPassword@127.0.0.1:1/none"}
                relays:
                  - name: trades
                    attempts: 1
                    target:
                      webhook:
                        url: %s?token=s3cretToken
                        allow-private: true
                        secrets-file: signing
                        headers: {Authorization: "Bearer ${HEADER}"}
                """.formatted("{url}"));
        Files.writeString(folder.resolve("signing"), signing + "\n");
        try (Receiver receiver = Receiver.start()) {
            Files.writeString(file, Files.readString(file).replace("{url}", receiver.url("/hook")));
            receiver.answer(received ->
                    received.key().equals("P1") ? 400 : received.key().equals("P2") ? 503 : 204);
            int port = Served.freePort();
            try (Cli cli = Cli.baton("serve", "-c", file.toString(), "--http-port", "" + port)
                    .on(database.url())
                    .with("HEADER", "s3cretHeader")
                    .with("BATON_LOG_LEVEL", "DEBUG")
                    .start()) {
                cli.awaitError("is running.");
                Served.send(database, 2, 1);
                cli.awaitError("with trouble");
                await().atMost(Cli.PATIENCE)
                        .until(() -> database.one("SELECT count(*) FROM baton.parked")
                                .equals("1"));
                Receiver.Received received = receiver.all().get(0);
                assertThat(received.headers())
                        .containsEntry("authorization", "Bearer s3cretHeader")
                        .containsKey("webhook-signature");

                String said = cli.err()
                        + cli.out()
                        + Cli.baton("serve", "-c", file.toString(), "--check", "--json")
                                .on(database.url())
                                .with("HEADER", "s3cretHeader")
                                .run()
                                .succeeds()
                        + Cli.baton("status", "--json").on(database.url()).run()
                        + Cli.baton("parked", "show", "trades", "P1")
                                .on(database.url())
                                .run()
                        + database.one("SELECT string_agg(p::text, ' ') FROM baton.parked p")
                        + database.one("SELECT string_agg(a::text, ' ') FROM pg_stat_activity a");
                for (String page : List.of("/livez", "/readyz", "/metrics")) {
                    said += new String(
                            java.net
                                    .URI
                                    .create("http://127.0.0.1:" + port + page)
                                    .toURL()
                                    .openStream()
                                    .readAllBytes(),
                            java.nio.charset.StandardCharsets.UTF_8);
                }
                assertThat(said).contains("/hook", "trades").doesNotContain("s3cret", signing, signing.substring(6));
                cli.signal("TERM");
                assertThat(cli.awaitEnd().err()).doesNotContain("s3cret", signing, signing.substring(6));
            }
        }
    }

    @Test
    void everyProblemOfTheFileIsToldAndNothingIsStarted(TestDatabase database) throws Exception {
        Files.writeString(folder.resolve("baton.yaml"), """
                relays:
                  - name: trades
                    log: outbox
                    target:
                      webhook:
                        allow-private: true
                        uurl: http://127.0.0.1:9000/hook
                """);

        Cli.Ended ended = Cli.baton("serve").in(folder).on(database.url()).run();
        assertThat(ended.code()).isEqualTo(78);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err()).isEqualTo("""
                baton.yaml:5: missing key 'url' (or 'url-file') in webhook
                baton.yaml:7: unknown key 'uurl' in webhook: did you mean 'url'?
                baton: baton.yaml has 2 problems.
                """);
        assertThat(database.one("SELECT count(*) FROM baton.subscription")).isEqualTo("0");
    }
}
