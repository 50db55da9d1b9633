package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code baton serve} from a table to those who are told. */
@BatonTest
@Timeout(120)
class ServeChannelsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    @Test
    void rowsReachAChannelWhileAnotherHangs(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE public.alert (id int PRIMARY KEY, k text NOT NULL, note text)");
        CountDownLatch over = new CountDownLatch(1);
        try (Receiver receiver = Receiver.start()) {
            receiver.answer(received -> {
                if (received.path().equals("/slack")) {
                    try {
                        over.await();
                    } catch (InterruptedException closed) {
                        Thread.currentThread().interrupt();
                    }
                }
                return 204;
            });
            Path file = Files.writeString(
                    folder.resolve("baton.yaml"), """
                    captures:
                      - name: alerts
                        tables: [public.alert]
                        operations: [insert]
                        key: [k]                       # columns; default: the primary key
                        channels: [ops, hung]
                    channels:
                      - name: ops
                        webhook: { url: "%s", allow-private: true }
                      - name: hung
                        webhook: { url: "%s", allow-private: true }
                    """.formatted(receiver.url("/ops"), receiver.url("/slack")));
            try (Served served = Served.start(database.url(), file)) {
                served.cli().awaitError("Capture 'alerts' is running.");
                database.execute(
                        "INSERT INTO public.alert SELECT n, 'k' || n % 3, 'note <' || n || '>' FROM generate_series(1, 30) n");
                database.execute("UPDATE public.alert SET note = 'later' WHERE id = 1");
                await().atMost(PATIENCE).until(() -> receiver.at("/ops").size() == 30);
                assertThat(receiver.at("/slack")).hasSizeLessThanOrEqualTo(3);

                Receiver.Received first = receiver.at("/ops").stream()
                        .filter(each -> each.body().contains("<1>"))
                        .findFirst()
                        .orElseThrow();
                JsonNode change = JsonMapper.shared().readTree(first.body());
                assertThat(change.get("table").asString()).isEqualTo("public.alert");
                assertThat(change.get("operation").asString()).isEqualTo("insert");
                assertThat(change.get("before").isNull()).isTrue();
                assertThat(change.at("/after/id").asInt()).isEqualTo(1);
                assertThat(change.has("lsn")).isTrue();
                assertThat(change.has("committedAt")).isTrue();
                assertThat(first.key()).isEqualTo("k1");
                assertThat(first.header("baton-subscription")).isEqualTo("alerts-ops");

                over.countDown();
                await().atMost(PATIENCE)
                        .until(() -> receiver.at("/slack").stream()
                                        .map(Receiver.Received::position)
                                        .distinct()
                                        .count()
                                == 30);
                JsonNode ready = served.readiness();
                assertThat(ready.at("/captures/0/reading").asBoolean()).isTrue();
                assertThat(ready.at("/channels/0/name").asString()).isEqualTo("alerts-ops");
            }
        }
    }

    @Test
    void whatCannotBeCapturedIsToldWithItsLine(TestDatabase database) throws Exception {
        Files.writeString(folder.resolve("baton.yaml"), """
                channels:
                  - {name: ops, stdout: }
                captures:
                  - {name: missing_table, tables: [public.nothing_of_that_name], channels: [ops]}
                """);
        Cli.Ended ended = Cli.baton("serve").in(folder).on(database.url()).run();
        assertThat(ended.code()).isEqualTo(78);
        assertThat(ended.err()).contains("baton.yaml:4: ").contains("nothing_of_that_name");
    }

    @Test
    void aCheckShowsWhatWouldRun(TestDatabase database) throws Exception {
        database.execute("CREATE TABLE alert (id int PRIMARY KEY)");
        Files.writeString(folder.resolve("baton.yaml"), """
                captures:
                  - {name: checked, tables: [public.alert], operations: [insert], channels: [ops]}
                channels:
                  - {name: ops, slack: {url: "https://hooks.slack.com/services/s3cret"}}
                """);
        Cli.Ended ended = Cli.baton("serve", "--check")
                .in(folder)
                .on(database.url())
                .run()
                .succeeds();
        assertThat(ended.out().lines().map(String::strip))
                .containsExactly(
                        "CAPTURE  LOG      TABLES        OPERATIONS",
                        "checked  checked  public.alert  insert",
                        "CHANNEL  LOG      SUBSCRIPTION  START  TARGET",
                        "ops      checked  checked-ops   now    Slack at hooks.slack.com");
    }
}
