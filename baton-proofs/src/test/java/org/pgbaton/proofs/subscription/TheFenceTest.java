package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.database.Fault;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * Promise 4, one condition at a time: tests each condition for the commit of a unit of work, by calling the SQL
 * functions themselves. {@link AFrozenOwnerCannotCommitTest} freezes whole processes; there several conditions hold at
 * once, and a missing one would not be noticed.
 */
@BatonTest
class TheFenceTest {
    private static final String HERE = "baton.timeline()";
    private static final String ELSEWHERE = "'7000000000000000000/00000009'";

    /** Ten messages, and a subscription whose lanes 0 and 1 are checkpoints 1 and 2, at 0, under epochs of their own. */
    @BeforeEach
    void prepare(TestDatabase database) throws SQLException {
        try (Baton baton = database.baton()) {
            baton.subscription("s")
                    .on("events")
                    .project((message, connection) -> {})
                    .start();
        }
        database.execute("INSERT INTO baton.events (key, payload) SELECT n::text, '{}' FROM generate_series(1, 10) n");
        take(database, 1);
        take(database, 2);
    }

    @Test
    void whoeverOwnsTheLaneMovesItsCheckpoint(TestDatabase database) throws SQLException {
        try (Connection owner = begin(database)) {
            execute(owner, close(HERE, "1,2", epoch(database, 1) + "," + epoch(database, 2), "0,0", "10,10"));
            owner.commit();
        }
        assertThat(database.one("SELECT sum(position) FROM baton.checkpoint")).isEqualTo("20");
    }

    @Test
    void notUnderAnotherTimeline(TestDatabase database) throws SQLException {
        try (Connection owner = begin(database)) {
            refused(owner, close(ELSEWHERE, "1", epoch(database, 1), "0", "10"));
        }
        try (Connection owner = begin(database)) {
            refused(owner, fence(ELSEWHERE, epoch(database, 1)));
        }
    }

    @Test
    void notUnderAnOlderEpoch(TestDatabase database) throws SQLException {
        String before = epoch(database, 1);
        try (Connection former = begin(database);
                Connection another = begin(database)) {
            take(database, 1);
            assertThat(Long.parseLong(epoch(database, 1))).isGreaterThan(Long.parseLong(before));
            refused(former, close(HERE, "1", before, "0", "10"));
            refused(another, fence(HERE, before));
        }
        try (Connection present = begin(database)) {
            execute(present, fence(HERE, epoch(database, 1)));
            execute(present, close(HERE, "1", epoch(database, 1), "0", "10"));
            present.commit();
        }
    }

    @Test
    void notFromAnotherPositionAndNotBeyondTheLog(TestDatabase database) throws SQLException {
        try (Connection owner = begin(database)) {
            refused(owner, close(HERE, "1", epoch(database, 1), "3", "10"));
        }
        try (Connection owner = begin(database)) {
            refused(owner, close(HERE, "1", epoch(database, 1), "0", "11"));
        }
    }

    /** A handler may take long, but nothing waits between the fence and COMMIT. */
    @Test
    void onceClosedItMayBeIdleForTheLeaseOnly(TestDatabase database) throws SQLException {
        try (Connection owner = begin(database)) {
            assertThat(idle(owner)).isEqualTo("1min");
            execute(owner, close(HERE, "1", epoch(database, 1), "0", "10").replace("60000", "7000"));
            assertThat(idle(owner)).isEqualTo("7s");
        }
        try (Connection owner = begin(database)) {
            execute(owner, fence(HERE, epoch(database, 1)).replace("60000", "7000"));
            assertThat(idle(owner)).isEqualTo("7s");
        }
    }

    private static String idle(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW idle_in_transaction_session_timeout")) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    void whoeverLostItCannotEvenBegin(TestDatabase database) throws SQLException {
        String before = epoch(database, 1);
        take(database, 1);
        try (Connection former = database.connect()) {
            refused(former, "SELECT baton.begin_work(60000, 'token', ARRAY[1], ARRAY[" + before + "]::bigint[])");
            execute(
                    former,
                    "SELECT baton.begin_work(60000, 'token', ARRAY[1], ARRAY[" + epoch(database, 1) + "]::bigint[])");
        }
    }

    /** A standby may have issued the same numbers before it was promoted: it must not issue one of them again. */
    @Test
    void afterAPromotionTheEpochJumpsOverAllThatTheOtherTimelineCouldHaveGivenOut(TestDatabase database)
            throws SQLException {
        long before = Long.parseLong(epoch(database, 1));
        database.execute("UPDATE baton.checkpoint SET timeline = " + ELSEWHERE
                + "; UPDATE baton.epoch_history SET timeline = " + ELSEWHERE);
        take(database, 1);
        long after = Long.parseLong(epoch(database, 1));
        assertThat(after >> 32).isGreaterThan(before >> 32);
        assertThat(database.one("SELECT timeline FROM baton.checkpoint WHERE id = 1"))
                .isEqualTo(database.one("SELECT baton.timeline()"));
        take(database, 1);
        assertThat(Long.parseLong(epoch(database, 1)) >> 32).isEqualTo(after >> 32);
    }

    /**
     * Lanes are closed in one order, whatever the order of the arguments. Otherwise two transactions that close the
     * same lanes could wait for each other.
     */
    @Test
    void lanesAreClosedInAscendingOrder(TestDatabase database) throws Exception {
        String epochs = epoch(database, 2) + "," + epoch(database, 1);
        try (Connection inTheWay = database.connect();
                Connection owner = begin(database)) {
            inTheWay.setAutoCommit(false);
            execute(inTheWay, "SELECT FROM baton.checkpoint WHERE id = 1 FOR UPDATE");
            CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> {
                try {
                    execute(owner, close(HERE, "2,1", epochs, "0,0", "10,10"));
                    owner.commit();
                } catch (SQLException failed) {
                    throw new IllegalStateException(failed);
                }
            });
            Eventually.isTrue(
                    () -> database.one("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                                    + "AND wait_event_type = 'Lock' AND query LIKE '%close_work%'")
                            .equals("1"));
            assertThat(database.one(
                            "SELECT count(*) FROM (SELECT FROM baton.checkpoint WHERE id = 2 FOR UPDATE NOWAIT) c"))
                    .as("the second lane is still free")
                    .isEqualTo("1");
            inTheWay.rollback();
            closing.get(30, TimeUnit.SECONDS);
        }
    }

    private static void take(TestDatabase database, int checkpoint) throws SQLException {
        assertThat(database.one("SELECT epoch FROM baton.take_lane(" + checkpoint + ", 'somebody', 1000)"))
                .isNotIn("null", "-1");
    }

    private static String epoch(TestDatabase database, int checkpoint) throws SQLException {
        return database.one("SELECT epoch FROM baton.checkpoint WHERE id = " + checkpoint);
    }

    private static Connection begin(TestDatabase database) throws SQLException {
        Connection connection = database.connect();
        connection.setAutoCommit(false);
        execute(connection, "SELECT baton.begin_work(60000, 'token')");
        return connection;
    }

    private static String close(String here, String checkpoints, String epochs, String olds, String news) {
        return "SELECT baton.close_work('token', 60000, " + here + ", 'baton.events_position'::regclass::oid, ARRAY["
                + checkpoints + "], ARRAY[" + epochs + "]::bigint[], ARRAY[" + olds + "]::bigint[], ARRAY[" + news
                + "]::bigint[])";
    }

    private static String fence(String here, String epoch) {
        return "SELECT baton.fence_work('token', 60000, " + here + ", 1, " + epoch + ")";
    }

    private static void refused(Connection connection, String sql) {
        assertThatThrownBy(() -> execute(connection, sql))
                .isInstanceOfSatisfying(
                        SQLException.class,
                        refusal -> assertThat(Fault.of(refusal)).isEqualTo(Fault.FENCED));
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
        }
    }
}
