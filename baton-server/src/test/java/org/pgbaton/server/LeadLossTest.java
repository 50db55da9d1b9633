package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** A command does not outlive the leadership it runs under: SIGTERM, and SIGKILL for what is left after the grace time. */
@BatonTest
class LeadLossTest {
    @Test
    void theCommandIsAskedToEndAndMayTidyUp(TestDatabase database) throws Exception {
        try (Cli baton =
                lead(database, "10s", "trap 'echo tidy; exit 9' TERM; echo ready; while :; do sleep 0.02; done")) {
            lose(baton, database);

            Cli.Ended ended = baton.awaitEnd();
            assertThat(ended.code()).isEqualTo(9);
            assertThat(ended.out()).isEqualTo("ready\ntidy\n");
            assertSaid(ended);
        }
    }

    @Test
    void aCommandThatDoesNotListenIsKilledAfterTheGraceTime(TestDatabase database) throws Exception {
        try (Cli baton = lead(database, "1s", "trap '' TERM; echo ready; while :; do sleep 0.02; done")) {
            lose(baton, database);

            Cli.Ended ended = baton.awaitEnd();
            assertThat(ended.code()).isEqualTo(137);
            assertSaid(ended);
        }
    }

    @Test
    void whatTheCommandLeavesBehindIsEndedToo(TestDatabase database) throws Exception {
        try (Cli baton = lead(database, "10s", "sleep 600 & echo pid $!; echo ready; wait")) {
            long grandchild = baton.awaitNumber("pid");
            lose(baton, database);

            assertThat(baton.awaitEnd().code()).isEqualTo(143);
            assertThat(Processes.isRunning(grandchild)).isFalse();
        }
    }

    @Test
    void whatTheCommandLeavesBehindIsKilledIfItDoesNotListen(TestDatabase database) throws Exception {
        String stubborn = "bash -c 'trap \"\" TERM; echo pid $$; echo ready; while :; do sleep 0.02; done' & wait";
        try (Cli baton = lead(database, "1s", stubborn)) {
            long grandchild = baton.awaitNumber("pid");
            lose(baton, database);

            assertThat(baton.awaitEnd().code()).isEqualTo(143);
            await().atMost(Cli.PATIENCE).until(() -> !Processes.isRunning(grandchild));
        }
    }

    /** With the shortest lease, so that the loss is noticed soon. */
    private static Cli lead(TestDatabase database, String grace, String command) {
        return Cli.baton("lead", "job", "--lease", "2s", "--grace", grace, "--", "bash", "-c", command)
                .on(database.url())
                .start();
    }

    /** As an administrator or a failover would take it away. */
    private static void lose(Cli baton, TestDatabase database) throws Exception {
        baton.awaitLine("ready");
        assertThat(database.terminate("baton job %")).isEqualTo(1);
    }

    private static void assertSaid(Cli.Ended ended) {
        assertThat(ended.err())
                .startsWith("baton: Leadership 'job' is lost (")
                .contains("ending the command")
                .hasLineCount(1);
    }
}
