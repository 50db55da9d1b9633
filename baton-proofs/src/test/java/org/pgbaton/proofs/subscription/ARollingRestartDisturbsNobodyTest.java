package org.pgbaton.proofs.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pgbaton.proofs.subscription.ReaderProgram.BY_KEY;
import static org.pgbaton.proofs.subscription.ReaderProgram.IN_TOTAL_ORDER;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/** Three members are replaced one after the other, in good order, while rows come: as a deployment does. */
@BatonTest
class ARollingRestartDisturbsNobodyTest {
    private static final Duration SOON = Duration.ofSeconds(40);
    /** A run with less traffic between two restarts shows nothing. */
    private static final long SOME = 100;

    @Test
    void nothingIsLostOrDoneTwiceAndTheOthersGoOn(TestDatabase database) throws Exception {
        Handled.createTable(database);
        List<JavaProcess> readers = new ArrayList<>();
        try (Writers writers = Writers.startShort(database, 4)) {
            for (int i = 0; i < 3; i++) {
                readers.add(start(database, "old-" + i));
            }
            for (int i = 0; i < 3; i++) {
                awaitTraffic(database);
                JavaProcess old = readers.get(i);
                old.endInput();
                assertThat(old.awaitExit(SOON)).isZero();
                awaitTraffic(database);
                readers.set(i, start(database, "new-" + i));
            }
            Eventually.isTrue(
                    SOON,
                    () -> database.one(
                                    "SELECT string_agg(DISTINCT owner, ' ' ORDER BY owner) FROM baton.lane_status WHERE name = ?",
                                    BY_KEY)
                            .equals("new-0 new-1 new-2"));
            awaitTraffic(database);
            writers.stop();
            Eventually.isTrue(
                    SOON, () -> Handled.isComplete(database, BY_KEY) && Handled.isComplete(database, IN_TOTAL_ORDER));
            assertThat(Handled.verdict(database, BY_KEY, false)).matches(Handled.Verdict::isClean);
            assertThat(Handled.verdict(database, IN_TOTAL_ORDER, true)).matches(Handled.Verdict::isClean);
        } finally {
            readers.forEach(JavaProcess::close);
        }
    }

    private static JavaProcess start(TestDatabase database, String who) throws InterruptedException {
        JavaProcess reader = ReaderProgram.start(database, who);
        reader.await("RUNNING", SOON);
        return reader;
    }

    private static void awaitTraffic(TestDatabase database) throws SQLException {
        long byKey = Handled.count(database, BY_KEY);
        long inTotalOrder = Handled.count(database, IN_TOTAL_ORDER);
        Eventually.isTrue(
                SOON,
                () -> Handled.count(database, BY_KEY) >= byKey + SOME
                        && Handled.count(database, IN_TOTAL_ORDER) >= inTotalOrder + SOME);
    }
}
