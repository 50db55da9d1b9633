package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgbaton.Baton;
import org.pgbaton.embedded.StopMode;
import org.pgbaton.subscription.InstanceMode;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/**
 * A crash can lose the last rows of a log. Their positions are then given to other rows, which must not be passed over.
 */
class ACutOffHistoryTest {
    @ParameterizedTest
    @EnumSource(names = {"COORDINATED", "SINGLE"})
    void positionsThatAreGivenOutAgainAfterACrashAreHandled(InstanceMode mode) throws Exception {
        List<String> handled = new CopyOnWriteArrayList<>();
        // Nothing is written to disk in the background, so asynchronous commits are lost with the crash.
        try (TestServer server = TestServer.start(Map.of(
                        "wal_writer_delay", "10s", "wal_writer_flush_after", "1GB", "checkpoint_timeout", "1h"));
                TestDatabase database = server.newDatabase();
                Baton baton = database.baton()) {
            baton.subscription("readers")
                    .on("events")
                    .mode(mode)
                    .react((message, delivery) -> handled.add(message.key()))
                    .start();
            database.execute("INSERT INTO baton.events (key, payload) VALUES ('kept', '{}')");
            database.drain("readers", Duration.ofSeconds(20));
            for (int i = 0; i < 50; i++) {
                database.execute("SET synchronous_commit = off; SELECT nextval('baton.events_position')");
            }
            String before = database.one("SELECT last_value FROM baton.events_position");
            server.postgres().stop(StopMode.IMMEDIATE);
            server.postgres().start();
            String after = database.one("SELECT last_value FROM baton.events_position");
            for (int i = 0; i < 60; i++) {
                database.execute("INSERT INTO baton.events (key, payload) VALUES ('new', '{}')");
            }
            Eventually.isTrue(() -> handled.stream().filter("new"::equals).count() >= 60);

            assertThat(handled.stream().filter("new"::equals))
                    .as("from %s back to %s", before, after)
                    .hasSize(60);
        }
    }
}
