package org.pgbaton.proofs.leadership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.Baton;
import org.pgbaton.embedded.PostgresServer;
import org.pgbaton.leadership.Term;
import org.pgbaton.testkit.JavaProcess;

/**
 * Half-open TCP: the leader's host is cut off, and no packet says so. With the defaults of TCP the lock would be held for two
 * hours. The two hosts are network namespaces of this machine, joined by a virtual cable.
 */
class CutNetworkTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String SERVER_ADDRESS = "10.231.77.1";
    private static final String LEADER_ADDRESS = "10.231.77.2";

    private final String suffix = Long.toString(ProcessHandle.current().pid() % 100_000);
    private final String namespace = "baton" + suffix;
    private final String cable = "btn" + suffix;

    @Test
    void theLockOfALeaderThatIsCutOffIsFreeAfterTheLeaseAndTheLeaderKnowsItBefore(@TempDir Path folder)
            throws Exception {
        assumeTrue(layCable(), "this machine does not let the test make network namespaces (needs root and iproute2)");
        try (PostgresServer server = startServer(folder)) {
            try (Baton near = Baton.builder(server.jdbcUrl("postgres"))
                            .who("near")
                            .open();
                    JavaProcess leader = startFar(server)) {
                leader.await("LEADING 1", SOON);
                long cut = System.nanoTime();
                run("ip", "link", "set", cable + "a", "down");
                Term next = near.leadership(LeaderProgram.NAME).lead();
                assertThat(Duration.ofNanos(System.nanoTime() - cut)).isLessThan(LeaderProgram.LEASE.plusSeconds(1));
                assertThat(next.epoch()).isEqualTo(2);
                leader.await("SUSPENDED 1", SOON);
                JavaProcess.Line lost = leader.await("LOST 1", SOON);
                assertThat(Duration.ofNanos(lost.at() - cut)).isLessThan(LeaderProgram.LEASE);
            }
        } finally {
            removeCable();
        }
    }

    @Test
    void aStandbyThatWasCutOffComesBackByItselfAndTakesOver(@TempDir Path folder) throws Exception {
        assumeTrue(layCable(), "this machine does not let the test make network namespaces (needs root and iproute2)");
        try (PostgresServer server = startServer(folder)) {
            try (Baton near =
                    Baton.builder(server.jdbcUrl("postgres")).who("near").open()) {
                Term term = near.leadership(LeaderProgram.NAME).lead();
                try (JavaProcess standby = startFar(server)) {
                    standby.await("STANDBY", SOON);
                    run("ip", "link", "set", cable + "a", "down");
                    // The server notices and frees what the standby had; the standby hears nothing of that.
                    Eventually.isTrue(
                            () -> near.leaderStatus().get(0).standbys().isEmpty());
                    run("ip", "link", "set", cable + "a", "up");
                    Eventually.isTrue(
                            () -> near.leaderStatus().get(0).standbys().size() == 1);
                    term.close();
                    standby.await("LEADING 2", SOON);
                }
            }
        } finally {
            removeCable();
        }
    }

    private static PostgresServer startServer(Path folder) {
        return PostgresServer.in(folder.resolve("server"))
                .settings(Map.of("listen_addresses", SERVER_ADDRESS, "fsync", "off"))
                .accessRule("host all all " + LEADER_ADDRESS + "/32 trust")
                .build()
                .start();
    }

    private JavaProcess startFar(PostgresServer server) {
        String url = "postgres://postgres@" + SERVER_ADDRESS + ":" + server.port() + "/postgres";
        return LeaderProgram.start(List.of("ip", "netns", "exec", namespace), url, "far");
    }

    private void removeCable() throws IOException, InterruptedException {
        run("ip", "link", "delete", cable + "a");
        run("ip", "netns", "delete", namespace);
    }

    private boolean layCable() throws IOException, InterruptedException {
        return run("ip", "netns", "add", namespace)
                && run(
                        "ip",
                        "link",
                        "add",
                        cable + "a",
                        "type",
                        "veth",
                        "peer",
                        "name",
                        cable + "b",
                        "netns",
                        namespace)
                && run("ip", "address", "add", SERVER_ADDRESS + "/30", "dev", cable + "a")
                && run("ip", "link", "set", cable + "a", "up")
                && run("ip", "-n", namespace, "address", "add", LEADER_ADDRESS + "/30", "dev", cable + "b")
                && run("ip", "-n", namespace, "link", "set", cable + "b", "up");
    }

    private static boolean run(String... command) throws IOException, InterruptedException {
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException missing) {
            return false;
        }
    }
}
