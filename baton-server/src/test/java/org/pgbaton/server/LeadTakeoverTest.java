package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** {@code baton lead --wait} stands by and takes over, however the one before has ended. */
@BatonTest
class LeadTakeoverTest {
    @Test
    void aStandbyTakesOverWhenTheLeadersCommandHasEnded(TestDatabase database) throws Exception {
        try (Cli leader = LeadTest.leading(database, "job");
                Cli standby = standingBy(database)) {
            leader.closeInput();

            assertThat(leader.awaitEnd().code()).isZero();
            assertThat(standby.awaitEnd().succeeds().out()).isEqualTo("epoch 2\n");
        }
    }

    @Test
    void aStandbyTakesOverWhenTheLeaderIsKilled(TestDatabase database) throws Exception {
        try (Cli leader = LeadTest.leading(database, "job");
                Cli standby = standingBy(database)) {
            leader.signal("KILL");

            assertThat(standby.awaitEnd().succeeds().out()).isEqualTo("epoch 2\n");
        }
    }

    @Test
    void aStandbyTakesOverWhenTheLeaderIsFrozenForALease(TestDatabase database) throws Exception {
        try (Cli leader = Cli.baton("lead", "job", "--lease", "2s", "--", "sh", "-c", "echo leading; cat")
                .on(database.url())
                .start()) {
            leader.awaitLine("leading");
            leader.signal("STOP");

            Cli.Ended next = Cli.baton("lead", "job", "--wait", "--", "sh", "-c", "echo epoch $BATON_EPOCH")
                    .on(database.url())
                    .run()
                    .succeeds();
            assertThat(next.out()).isEqualTo("epoch 2\n");
        }
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, disabledReason = "needs the kernel's parent death signal")
    void theCommandOfAKilledLeaderIsDeadToo(TestDatabase database) {
        try (Cli leader = Cli.baton("lead", "job", "--", "sh", "-c", "echo pid $$; exec sleep 600")
                .on(database.url())
                .start()) {
            long command = leader.awaitNumber("pid");
            leader.signal("KILL");

            await().atMost(Cli.PATIENCE).until(() -> !Processes.isRunning(command));
        }
    }

    /** Returns when it waits, which the database sees. */
    private static Cli standingBy(TestDatabase database) {
        Cli standby = Cli.baton("lead", "--wait", "job", "--", "sh", "-c", "echo epoch $BATON_EPOCH")
                .on(database.url())
                .start();
        awaitStandby(database, standby);
        return standby;
    }

    static void awaitStandby(TestDatabase database, Cli standby) {
        await().atMost(Cli.PATIENCE).until(() -> {
            assertThat(standby.isAlive()).as("alive; it said %s", standby.err()).isTrue();
            return "1".equals(database.one("SELECT standbys FROM baton.leader_status WHERE name = 'job'"));
        });
    }
}
