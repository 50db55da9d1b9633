package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

@BatonTest
class RetentionLeavesNoBloatTest {
    /** Rows are written, handled, and removed at once; the test vacuums the table as autovacuum would. */
    @Test
    void rowsThatComeAndGoLeaveTheTableAsLargeAsItWas(TestDatabase database) throws Exception {
        try (Baton baton = database.baton();
                Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            baton.subscription("passing")
                    .on("events")
                    .batch(5000)
                    .reactToBatches((messages, delivery) -> {})
                    .start();
            baton.logs().setRetention("events", Duration.ZERO);
            long settled = 0;
            for (int round = 0; round < 12; round++) {
                statement.execute("INSERT INTO baton.events (key, payload) SELECT 'k' || i % 100, '{\"n\": 1}' "
                        + "FROM generate_series(1, 20000) i");
                database.drain("passing", Duration.ofSeconds(60));
                awaitRemoval(database, baton);
                statement.execute("VACUUM baton.events, baton.checkpoint");
                long size = Long.parseLong(database.one("SELECT pg_total_relation_size('baton.events')"));
                settled = round == 2 ? size : settled;
                if (round > 2) {
                    assertThat(size).as("after round %d", round).isLessThan(settled + settled / 4);
                }
            }
            assertThat(Long.parseLong(database.one("SELECT pg_total_relation_size('baton.checkpoint')")))
                    .isLessThan(1_000_000);
        }
    }

    /** The checkpoints of idle lanes are written once a second, and hold retention back until then. */
    private static void awaitRemoval(TestDatabase database, Baton baton) throws Exception {
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!database.one("SELECT count(*) FROM baton.events").equals("0")) {
            assertThat(System.nanoTime()).isLessThan(end);
            if (baton.logs().retainOnce("events") == 0) {
                Thread.sleep(20);
            }
        }
    }
}
