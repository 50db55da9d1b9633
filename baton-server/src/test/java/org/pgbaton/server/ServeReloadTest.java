package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What signals do to {@code baton serve}: SIGHUP reads the file again, SIGTERM ends it within the grace period; and its lines as JSON. */
@BatonTest
class ServeReloadTest {
    @TempDir
    private Path folder;

    private static String relay(String name, String url, String more) {
        return """
                  - name: %s
                    target: {webhook: {url: "%s", allow-private: true}}
                %s""".formatted(name, url, more);
    }

    @Test
    void theFileIsReadAgainWhereThatIsSafe(TestDatabase database) throws Exception {
        try (Receiver receiver = Receiver.start()) {
            String first = relay("first", receiver.url("/first"), "");
            Path file = Files.writeString(
                    folder.resolve("baton.yaml"), "relays:\n" + first + relay("second", receiver.url("/second"), ""));
            try (Served served = Served.start(database.url(), file)) {
                await().atMost(Cli.PATIENCE)
                        .until(() -> served.readiness().get("relays").size() == 2);

                Files.writeString(file, "relays:\n  - nam: x\n");
                served.cli().signal("HUP");
                served.cli().awaitError("what runs goes on as it was configured before");
                assertThat(served.cli().err()).contains("baton.yaml:2: ").contains("did you mean 'name'?");

                Files.writeString(
                        file,
                        "http: {port: 1234}\nrelays:\n" + first
                                + relay("third", receiver.url("/third"), "    workers: 2\n"));
                served.cli().signal("HUP");
                served.cli().awaitError("is read again: 1 started, 1 ended, 1 went on.");
                served.cli().awaitError("'http' in " + file + " has changed, which needs a restart");
                Served.send(database, 1, 1);
                await().atMost(Cli.PATIENCE)
                        .until(() -> receiver.at("/first").size() == 1
                                && receiver.at("/third").size() == 1);
                assertThat(receiver.at("/second")).isEmpty();
                assertThat(served.get("/readyz").statusCode()).isEqualTo(200);
            }
        }
    }

    @Test
    void workThatDoesNotEndWithinTheGracePeriodIsLeftToOthers(TestDatabase database) throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        try (Receiver receiver = Receiver.start()) {
            receiver.answer(received -> {
                try {
                    hangs.await();
                } catch (InterruptedException over) {
                    Thread.currentThread().interrupt();
                }
                return 204;
            });
            Path file = Served.relayTo(receiver.url("/hook"), folder, "handler-limit: 10m");
            Served.send(database, 1, 1);
            try (Served served = Served.start(database.url(), file, "--grace", "1s")) {
                await().atMost(Cli.PATIENCE).until(() -> receiver.all().size() == 1);
                served.cli().signal("TERM");
                Cli.Ended ended = served.cli().awaitEnd();
                assertThat(ended.code()).isEqualTo(128 + 15);
                assertThat(ended.err()).contains("did not end within 1.0 s (--grace): ending without it");
            } finally {
                hangs.countDown();
            }
        }
        // It is after the checkpoint of its lane, or it is recorded as set aside, since its call was slow.
        assertThat(database.one("SELECT c.position < m.position OR EXISTS (SELECT FROM baton.parked_message)"
                        + " FROM baton.outbox m JOIN baton.checkpoint c ON c.lane = m.lane"))
                .isEqualTo("t");
    }

    @Test
    void itsLinesAreJsonWithDateAndLevelAndWhatTheyAreAbout(TestDatabase database) throws Exception {
        try (Receiver receiver = Receiver.start()) {
            receiver.answer(received -> 422);
            Path file = Served.relayTo(receiver.url("/hook"), folder, "attempts: 1");
            try (Cli serve = Cli.baton("serve", "-c", file.toString(), "--log-format", "json")
                    .on(database.url())
                    .with("BATON_LOG_LEVEL", "INFO")
                    .start()) {
                serve.awaitError("is running.");
                Served.send(database, 1, 1);
                serve.awaitError("is set aside");
                JsonNode aside = serve.err()
                        .lines()
                        .map(line -> JsonMapper.shared().readTree(line)) // every line is JSON
                        .peek(line -> {
                            assertThat(line.get("date").asString()).matches("\\d{4}-\\d\\d-\\d\\dT.*Z");
                            assertThat(line.get("level").asString()).matches("INFO|WARN|ERROR");
                            assertThat(line.get("logger").asString()).isNotBlank();
                        })
                        .filter(line -> line.get("message").asString().contains("is set aside"))
                        .findFirst()
                        .orElseThrow();
                assertThat(aside.get("subscription").asString()).isEqualTo("trades");
                assertThat(aside.get("key").asString()).isEqualTo("P1");
                assertThat(aside.get("position").asLong())
                        .isEqualTo(Long.parseLong(database.one("SELECT position FROM baton.outbox")));
                assertThat(aside.get("lane").asInt())
                        .isEqualTo(Integer.parseInt(database.one("SELECT lane FROM baton.outbox")));
                assertThat(aside.get("epoch").asLong()).isPositive();
                assertThat(aside.get("level").asString()).isEqualTo("WARN");
            }
        }
    }

    @Test
    void plainLinesHaveDateAndLevelAndQuietOnesAreOnlyAboutTrouble() throws Exception {
        Files.writeString(folder.resolve("baton.yaml"), "relays:\n  - {name: a, target: {stdout: }}\n");
        String nowhere = "postgres://127.0.0.1:1/db";
        Cli.Ended plain = Cli.baton("serve", "--check", "--log-format", "plain")
                .in(folder)
                .on(nowhere)
                .run();
        assertThat(plain.err()).matches("(?s)\\d{4}-\\d\\d-\\d\\dT\\S+Z INFO  baton.yaml is right.*");
        assertThat(Cli.baton("serve", "--check", "--quiet")
                        .in(folder)
                        .on(nowhere)
                        .run()
                        .succeeds()
                        .err())
                .isEmpty();
        Cli.baton("serve", "--quiet").in(folder).on(nowhere).run().complains(69, "127.0.0.1:1 refused");
        Cli.baton("status", "--log-format", "xml").run().complains(64, "xml");
    }
}
