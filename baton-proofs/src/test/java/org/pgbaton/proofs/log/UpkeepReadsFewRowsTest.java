package org.pgbaton.proofs.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** Retention and status run all the time, so what they read does not depend on how much there is. */
@BatonTest
class UpkeepReadsFewRowsTest {
    private static final int MANY = 20_000;

    @Test
    void howFarRowsMayBeRemovedIsFoundWithoutReadingAllParkedMessages(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            baton.subscription("parking")
                    .on("events")
                    .react((message, delivery) -> {})
                    .start();
        }
        database.execute("INSERT INTO baton.events (key, payload) SELECT 'k' || g, '{}' FROM generate_series(1, " + MANY
                + ") g");
        database.execute(
                "INSERT INTO baton.parked (subscription, checkpoint, key, state, attempts)"
                        + " SELECT c.subscription, c.id, e.key, 'parked', 5 FROM baton.events e JOIN baton.checkpoint c ON c.lane = e.lane");
        database.execute("INSERT INTO baton.parked_message (parked, position, log)"
                + " SELECT p.id, e.position, 'events' FROM baton.parked p JOIN baton.events e ON e.key = p.key");
        database.execute("UPDATE baton.checkpoint SET position = " + MANY);
        database.execute("ANALYZE baton.parked, baton.parked_message, baton.subscription");

        assertThat(database.one("SELECT baton.removable('events')")).isEqualTo("0");
        assertThat(rowsRead(database, "SELECT baton.removable('events')", "parked_message", "parked"))
                .isLessThan(100);
    }

    @Test
    void aLookForOldRowsReadsNoneOfTheYoungOnes(TestDatabase database) throws Exception {
        database.execute("INSERT INTO baton.events (key, payload) SELECT 'k' || g, '{}' FROM generate_series(1, " + MANY
                + ") g");
        database.execute("UPDATE baton.log SET retention = interval '1 hour'");
        database.execute("ANALYZE baton.events");
        assertThat(rowsRead(database, "SELECT baton.retain_aged('events', 10000)", "events"))
                .isLessThan(100);
    }

    /** All rows that wait are of one lane, but the planner believes that all lanes are alike. */
    @Test
    void statusReadsNoneOfTheRowsThatWait(TestDatabase database) throws Exception {
        try (Baton baton = database.baton()) {
            baton.subscription("behind")
                    .on("events")
                    .react((message, delivery) -> {})
                    .start();
        }
        database.execute("ALTER TABLE baton.events SET (autovacuum_enabled = off)");
        database.execute(
                "INSERT INTO baton.events (key, payload) SELECT 'k' || g, '{}' FROM generate_series(1, 5000) g");
        database.execute("ANALYZE baton.events");
        database.execute("UPDATE baton.checkpoint SET position = 5000");
        database.execute(
                "INSERT INTO baton.events (key, payload) SELECT 'hot', '{}' FROM generate_series(1, " + MANY + ") g");
        assertThat(rowsRead(database, "SELECT sum(lag_positions) FROM baton.subscription_status", "events"))
                .isLessThan(100);
    }

    /** Counted by the server, in the transaction itself. */
    private static long rowsRead(TestDatabase database, String sql, String... tables) throws Exception {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(sql);
            try (ResultSet row = statement.executeQuery(
                    "SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) FROM pg_stat_xact_user_tables"
                            + " WHERE schemaname = 'baton' AND relname IN ('" + String.join("', '", tables) + "')")) {
                row.next();
                return row.getLong(1);
            }
        }
    }
}
