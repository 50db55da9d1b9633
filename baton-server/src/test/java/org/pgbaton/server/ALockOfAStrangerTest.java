package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import tools.jackson.databind.JsonNode;

/** Somebody holds the locks of all lanes of a relay: {@code /readyz} does not call it healthy, and everything names the holder. */
@BatonTest
class ALockOfAStrangerTest {
    @TempDir
    private Path folder;

    @Test
    void isNamedByReadyzAndByDoctor(TestDatabase database) throws Exception {
        try (Receiver receiver = Receiver.start();
                Connection stranger = database.connect();
                Statement statement = stranger.createStatement()) {
            Path file = Served.relayTo(receiver.url("/hook"), folder);
            try (Served served = Served.start(database.url(), file)) {
                await().atMost(Cli.PATIENCE).until(() -> served.lanes() == 16);
                assertThat(relay(served).get("healthy").asBoolean()).isTrue();
            }

            statement.execute(
                    "SELECT pg_advisory_lock_shared('baton.checkpoint'::regclass::int4, id) FROM baton.checkpoint");
            String pid =
                    database.one("SELECT pid FROM pg_locks WHERE mode = 'ShareLock' AND locktype = 'advisory' LIMIT 1");
            try (Served served = Served.startUntil("locks of ours are held by somebody else", database.url(), file)) {
                await().atMost(Cli.PATIENCE)
                        .until(() -> !relay(served).get("healthy").asBoolean());
                assertThat(relay(served).get("trouble").asString())
                        .contains(pid)
                        .contains("postgres");
                assertThat(served.lanes()).isZero();

                Cli.Ended doctor = Cli.baton("doctor").on(database.url()).run();
                assertThat(doctor.out()).contains("ERROR  foreign locks: ").contains(pid);

                statement.execute("SELECT pg_advisory_unlock_all()");
                await().atMost(Cli.PATIENCE)
                        .until(() -> relay(served).get("healthy").asBoolean() && served.lanes() == 16);
            }
        }
    }

    private static JsonNode relay(Served served) throws Exception {
        return served.readiness().get("relays").get(0);
    }
}
