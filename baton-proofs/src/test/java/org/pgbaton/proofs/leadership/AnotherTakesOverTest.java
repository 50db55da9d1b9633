package org.pgbaton.proofs.leadership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pgbaton.proofs.leadership.LeaderProgram.LEASE;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.JavaProcess;
import org.pgbaton.testkit.TestDatabase;

/**
 * Promise 8: when a process dies, another takes over in milliseconds; when it freezes, within the lease. How many milliseconds
 * is measured by {@code baton bench leadership}; the bounds here only tell the mechanisms apart.
 */
@BatonTest
class AnotherTakesOverTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    /** A lease for tests that do not wait for its end. */
    private static final Duration LONG_LEASE = Duration.ofSeconds(30);
    /** Far more than a grant takes on a busy machine, and far less than the lease or a heartbeat of it. */
    private static final Duration AT_ONCE = Duration.ofSeconds(5);

    @Test
    void whenTheLeaderIsKilled(TestDatabase database) throws Exception {
        try (JavaProcess first = LeaderProgram.start(database, "first", LONG_LEASE)) {
            first.await("LEADING 1", SOON);
            try (JavaProcess second = LeaderProgram.start(database, "second", LONG_LEASE)) {
                second.await("STANDBY", SOON);
                long killed = System.nanoTime();
                first.kill();
                JavaProcess.Line leading = second.await("LEADING 2", SOON);
                assertThat(Duration.ofNanos(leading.at() - killed)).isLessThan(AT_ONCE);
            }
        }
    }

    @Test
    void whenTheLeaderFreezesForThreeLeasesAndTheLeaderNoticesWhenItWakesUp(TestDatabase database) throws Exception {
        try (JavaProcess first = LeaderProgram.start(database, "first")) {
            first.await("LEADING 1", SOON);
            try (JavaProcess second = LeaderProgram.start(database, "second")) {
                second.await("STANDBY", SOON);
                long frozen = System.nanoTime();
                first.freeze();
                JavaProcess.Line leading = second.await("LEADING 2", SOON);
                assertThat(Duration.ofNanos(leading.at() - frozen)).isLessThan(LEASE.plusSeconds(3));

                Duration rest = LEASE.multipliedBy(3).minusNanos(System.nanoTime() - frozen);
                Thread.sleep(rest.toMillis());
                assertThat(second.hasPrinted("LOST")).isFalse();
                first.thaw();
                first.await("LOST 1", SOON);
                first.await("STANDBY", SOON);
                second.kill();
                first.await("LEADING 3", SOON);
            }
        }
    }

    @Test
    void whenTheLeaderStepsDownAndItLetsTheOtherWin(TestDatabase database) throws Exception {
        try (JavaProcess first = LeaderProgram.start(database, "first", LONG_LEASE)) {
            first.await("LEADING 1", SOON);
            try (JavaProcess second = LeaderProgram.start(database, "second", LONG_LEASE)) {
                second.await("STANDBY", SOON);
                long asked = System.nanoTime();
                first.say("step-down");
                JavaProcess.Line leading = second.await("LEADING 2", SOON);
                assertThat(Duration.ofNanos(leading.at() - asked)).isLessThan(AT_ONCE);
                first.await("STANDBY", SOON);
            }
        }
    }

    /** A standby that looks only now and then, or is frozen for a moment, has two seconds to win. */
    @Test
    void whoStepsDownStandsByOnlyAfterAWhile(TestDatabase database) throws Exception {
        try (JavaProcess alone = LeaderProgram.start(database, "alone", LONG_LEASE)) {
            alone.await("LEADING 1", SOON);
            long asked = System.nanoTime();
            alone.say("step-down");
            JavaProcess.Line again = alone.await("LEADING 2", SOON);
            assertThat(Duration.ofNanos(again.at() - asked)).isGreaterThan(Duration.ofSeconds(2));
        }
    }

    @Test
    void whenTheLeadersBackendIsTerminatedAndTheOldLeaderStandsByAgain(TestDatabase database) throws Exception {
        try (JavaProcess first = LeaderProgram.start(database, "first")) {
            first.await("LEADING 1", SOON);
            try (JavaProcess second = LeaderProgram.start(database, "second")) {
                second.await("STANDBY", SOON);
                assertThat(database.terminate("baton job first")).isEqualTo(1);
                second.await("LEADING 2", SOON);
                first.await("LOST 1", SOON);
                first.await("STANDBY", SOON);
            }
        }
    }

    @Test
    void whenTheWaitingOneIsKilledTheNextInLineGetsIt(TestDatabase database) throws Exception {
        try (JavaProcess first = LeaderProgram.start(database, "first")) {
            first.await("LEADING 1", SOON);
            try (JavaProcess second = LeaderProgram.start(database, "second")) {
                second.await("STANDBY", SOON);
                try (JavaProcess third = LeaderProgram.start(database, "third")) {
                    third.await("STANDBY", SOON);
                    second.kill();
                    first.kill();
                    third.await("LEADING 2", SOON);
                }
            }
        }
    }
}
