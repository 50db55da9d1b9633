package org.pgbaton.proofs.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * Runs the usual ways to relay an outbox with several pods through the same check that Baton passes. The check must
 * find a mistake in each of them.
 */
@BatonTest
class TheOrderCheckFindsMistakesTest {
    @ParameterizedTest
    @CsvSource({"advisory locks, false", "advisory locks, true", "skip locked, false", "skip locked, true"})
    void pollingPodsOvertakeOrRepeat(String way, boolean insideTheTransaction, TestDatabase database) throws Exception {
        PollingOutbox.createTable(database);
        String select = way.startsWith("skip") ? PollingOutbox.SKIP_LOCKED : PollingOutbox.ADVISORY_LOCKS;
        await(way + " is caught")
                .atMost(Duration.ofSeconds(90))
                .until(() -> !relayed(database, select, insideTheTransaction).isExactlyOnceInOrder());
    }

    /** One round of six hundred messages. Timing decides which mistake shows, and when. */
    private static Published relayed(TestDatabase database, String select, boolean insideTheTransaction)
            throws SQLException {
        database.execute("TRUNCATE outbox_event");
        List<Published.Arrival> arrived = new CopyOnWriteArrayList<>();
        try (PollingOutbox pods = PollingOutbox.start(database, select, insideTheTransaction, 4, arrived::add)) {
            for (int i = 0; i < 60; i++) {
                database.execute("INSERT INTO outbox_event (portfolio_id, sequence) SELECT 'P' || p, " + i
                        + " FROM generate_series(1, 10) p");
            }
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> database.one("SELECT count(*) FROM outbox_event WHERE status = 'PENDING'")
                            .equals("0"));
            assertThat(pods).isNotNull();
        }
        return Published.compare(
                Published.written(
                        database,
                        "SELECT portfolio_id, portfolio_id || '/' || sequence FROM outbox_event ORDER BY sequence"),
                arrived);
    }
}
