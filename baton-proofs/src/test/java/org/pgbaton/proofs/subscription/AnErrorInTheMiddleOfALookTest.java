package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgbaton.Baton;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/**
 * A look reads the end of the log, then who is writing. If it fails between the two, the end that it read must not be
 * used: a writer that had drawn its position by then was not seen, and would look like one that came later.
 */
@BatonTest
class AnErrorInTheMiddleOfALookTest {
    private static final String IN_THE_MIDDLE =
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'baton hub%' "
                    + "AND wait_event_type = 'Lock' AND query LIKE '%look(%'";

    @ParameterizedTest
    @ValueSource(strings = {"pg_cancel_backend", "pg_terminate_backend"})
    void skipsNothing(String end, TestDatabase database) throws Exception {
        List<Long> handled = new CopyOnWriteArrayList<>();
        try (Baton baton = database.baton();
                Connection lock = database.connect();
                Connection early = database.connect()) {
            baton.subscription("s")
                    .on("events")
                    .react((message, delivery) -> handled.add(message.position()))
                    .start();
            long before = append(database);
            Eventually.isTrue(() -> handled.contains(before));

            // A look reads the operators' actions after the end and before the writers.
            lock.setAutoCommit(false);
            execute(lock, "LOCK TABLE baton.action IN ACCESS EXCLUSIVE MODE");
            awaitInTheMiddle(database);
            early.setAutoCommit(false);
            long drawnEarly = Ear.append(early, "key");
            for (int i = 0; i < 3; i++) {
                String pid = awaitInTheMiddle(database);
                database.one("SELECT " + end + "(" + pid + ")");
                Eventually.isTrue(() -> {
                    String now = database.one(IN_THE_MIDDLE);
                    return !now.equals("null") && !now.equals(pid);
                });
            }
            long drawnLate = append(database);
            lock.rollback();

            // Other lanes go on; this one waits for the early writer.
            long[] others = new long[20];
            try (Connection writer = database.connect()) {
                for (int i = 0; i < others.length; i++) {
                    others[i] = Ear.append(writer, "other-" + i);
                }
            }
            int lane = baton.log("events").laneOf("key");
            for (int i = 0; i < others.length; i++) {
                long other = others[i];
                if (baton.log("events").laneOf("other-" + i) != lane) {
                    Eventually.isTrue(() -> handled.contains(other));
                }
            }
            assertThat(handled).doesNotContain(drawnEarly, drawnLate);
            early.commit();
            Eventually.isTrue(() -> handled.contains(drawnLate));
            assertThat(handled).contains(drawnEarly).doesNotHaveDuplicates();
            assertThat(handled.indexOf(drawnEarly)).isLessThan(handled.indexOf(drawnLate));
        }
    }

    private static String awaitInTheMiddle(TestDatabase database) throws SQLException {
        Eventually.isTrue(() -> !database.one(IN_THE_MIDDLE).equals("null"));
        return database.one(IN_THE_MIDDLE);
    }

    private static long append(TestDatabase database) throws SQLException {
        try (Connection writer = database.connect()) {
            return Ear.append(writer, "key");
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
