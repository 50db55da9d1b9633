package org.pgbaton.proofs.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.database.SchemaName;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Lease;
import org.pgbaton.session.Session;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/**
 * A backend that works or waits does not look at its socket, unless told to: {@code client_connection_check_interval}. Then the
 * locks of a dead process are free at once, whatever its backend was doing.
 */
@BatonTest
class KilledInMidStatementTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final long KEY = 4711;

    /** Takes a lock and runs a statement of a minute. */
    static final class Busy {
        public static void main(String[] arguments) {
            Session session = sessionOf(arguments[0]);
            session.tryLock(KEY);
            System.out.println("HOLDS");
            session.query("sleep", "SELECT pg_sleep(60)", rows -> true);
        }
    }

    /** Takes one lock, and waits for another that it does not get. */
    static final class Waiting {
        public static void main(String[] arguments) {
            Session session = sessionOf(arguments[0]);
            session.tryLock(KEY);
            System.out.println("HOLDS");
            session.query("wait", "SELECT pg_advisory_lock(" + (KEY + 1) + ")", rows -> true);
        }
    }

    @Test
    void aLockIsFreeAtOnceWhenItsHolderDiesInMidStatement(TestDatabase database) throws Exception {
        try (JavaProcess busy = JavaProcess.start(Busy.class, database.url());
                Session other = sessionOf(database.url())) {
            busy.await("HOLDS", SOON);
            awaitActive(database, "%pg_sleep(60)%");
            busy.kill();
            assertFreeAtOnce(other);
        }
    }

    @Test
    void aLockIsFreeAtOnceWhenItsHolderDiesInMidWait(TestDatabase database) throws Exception {
        try (Session blocker = sessionOf(database.url());
                Session other = sessionOf(database.url())) {
            blocker.tryLock(KEY + 1);
            try (JavaProcess waiting = JavaProcess.start(Waiting.class, database.url())) {
                waiting.await("HOLDS", SOON);
                awaitActive(database, "%pg_advisory_lock(" + (KEY + 1) + ")%");
                waiting.kill();
                assertFreeAtOnce(other);
            }
        }
    }

    private static void assertFreeAtOnce(Session other) {
        long killed = System.nanoTime();
        while (!other.tryLock(KEY)) {
            Thread.onSpinWait();
        }
        // 20 ms is the interval; without it the statements above would hold on until they end.
        assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(Duration.ofSeconds(5));
    }

    private static void awaitActive(TestDatabase database, String query) {
        Eventually.isTrue(() -> !database.one("""
                        SELECT count(*) FROM pg_stat_activity
                         WHERE query LIKE ? AND state = 'active' AND datname = current_database() AND pid <> pg_backend_pid()""", query).equals("0"));
    }

    static Session sessionOf(String url) {
        var connector = DatabaseUrl.parse(url).connector();
        DatabaseAccess database = new DatabaseAccess(connector, connector, null, SchemaName.DEFAULT, "test");
        return Session.open(database, Lease.DEFAULT, System::nanoTime, "test");
    }
}
