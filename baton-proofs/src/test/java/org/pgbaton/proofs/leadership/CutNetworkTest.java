package org.pgbaton.proofs.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.Baton;
import org.pgbaton.embedded.PostgresServer;
import org.pgbaton.leadership.Term;
import org.pgbaton.proofs.Cable;
import org.pgbaton.testkit.JavaProcess;

/**
 * Half-open TCP: the leader's host is cut off, and no packet says so. With the defaults of TCP the lock would be held for two
 * hours.
 */
class CutNetworkTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    /** Long enough for a leader that stops trusting its lock a second before the end. */
    private static final Duration LEASE = Duration.ofSeconds(6);

    @Test
    void theLockOfALeaderThatIsCutOffIsFreeAfterTheLeaseAndTheLeaderKnowsItBefore(@TempDir Path folder)
            throws Exception {
        try (Cable cable = Cable.lay();
                PostgresServer server = cable.startServer(folder);
                Baton near =
                        Baton.builder(server.jdbcUrl("postgres")).who("near").open();
                JavaProcess leader = startFar(cable, server, LEASE)) {
            leader.await("LEADING 1", SOON);
            long cut = System.nanoTime();
            cable.cut();
            Term next = near.leadership(LeaderProgram.NAME).lead();
            long led = System.nanoTime();
            assertThat(Duration.ofNanos(led - cut)).isLessThan(LEASE.plusSeconds(3));
            assertThat(next.epoch()).isGreaterThan(1);
            JavaProcess.Line suspended = leader.await("SUSPENDED 1", SOON);
            assertThat(suspended.at()).as("before another leads").isLessThan(led);
            leader.await("LOST 1", SOON);
        }
    }

    @Test
    void aStandbyThatWasCutOffComesBackByItselfAndTakesOver(@TempDir Path folder) throws Exception {
        try (Cable cable = Cable.lay();
                PostgresServer server = cable.startServer(folder);
                Baton near =
                        Baton.builder(server.jdbcUrl("postgres")).who("near").open()) {
            Term term = near.leadership(LeaderProgram.NAME).lead();
            try (JavaProcess standby = startFar(cable, server, LeaderProgram.LEASE)) {
                standby.await("STANDBY", SOON);
                cable.cut();
                // The server notices and frees the standby's locks; the standby does not learn of it.
                Eventually.isTrue(() -> near.leaderStatus().get(0).standbys().isEmpty());
                cable.mend();
                Eventually.isTrue(() -> near.leaderStatus().get(0).standbys().size() == 1);
                term.close();
                standby.await("LEADING 2", SOON);
            }
        }
    }

    private static JavaProcess startFar(Cable cable, PostgresServer server, Duration lease) {
        return LeaderProgram.start(cable.onTheFarSide(), cable.farUrl(server), "far", lease);
    }
}
