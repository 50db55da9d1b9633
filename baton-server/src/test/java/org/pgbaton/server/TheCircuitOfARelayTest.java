package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The dashboard shows an open circuit while the target of a relay is away, and only then. */
@BatonTest
class TheCircuitOfARelayTest {
    @TempDir
    private Path folder;

    @Test
    void isOpenWhileTheTargetIsAwayAndNotForAParkedKey(TestDatabase database) throws Exception {
        try (Receiver receiver = Receiver.start()) {
            Path file = Served.relayTo(receiver.url("/hook"), folder, "attempts: 1");
            try (Served serve = Served.start(database.url(), file)) {
                receiver.answer(received -> 422);
                Served.send(database, 1, 1);
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> !served(serve).get("trouble").isNull());
                assertThat(served(serve).get("trouble").asString()).contains("parked");
                assertThat(served(serve).get("targetAway").asBoolean()).isFalse();

                receiver.answer(received -> 503);
                Served.send(database, 5, 1);
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> served(serve).get("targetAway").asBoolean());
                assertThat(serve.get("/relays").body()).contains("chip chip-bad\">open");

                receiver.answer(received -> 204);
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> !served(serve).get("targetAway").asBoolean());
            }
        }
    }

    private static JsonNode served(Served serve) throws Exception {
        return JsonMapper.shared()
                .readTree(serve.get("/api/v1/served").body())
                .get("served")
                .get(0);
    }
}
