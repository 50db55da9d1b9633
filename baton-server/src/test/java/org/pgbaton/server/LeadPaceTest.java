package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** A job that cron starts on every host runs once: what counts as a run, who may try again, and what the others are told. */
@BatonTest
class LeadPaceTest {
    private static final String HOURLY = "--at-most-every=1h";

    @Test
    void ofThreeHostsThatStartAShortJobAtOnceOneRunsIt(TestDatabase database, @TempDir Path folder) throws Exception {
        Path ran = folder.resolve("ran");
        List<Cli> hosts = new ArrayList<>();
        try {
            for (int host = 0; host < 3; host++) {
                hosts.add(job(database, HOURLY, "echo ran >> " + ran).start());
            }
            List<Cli.Ended> ended = hosts.stream().map(Cli::awaitEnd).toList();

            assertThat(Files.readAllLines(ran)).hasSize(1);
            assertThat(ended).extracting(Cli.Ended::code).containsExactlyInAnyOrder(0, 75, 75);
        } finally {
            hosts.forEach(Cli::close);
        }
    }

    @Test
    void whatWasDoneRecentlyIsToldInOneSentence(TestDatabase database) throws Exception {
        job(database, HOURLY, "true").run().succeeds();

        Cli.Ended again = job(database, HOURLY, "echo never").run().complains(75, "Leadership 'nightly' was done by ");

        Instant began = Instant.parse(
                database.one(
                        "SELECT to_char(ran_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') FROM baton.leadership"));
        assertThat(again.err())
                .isEqualTo("baton: Leadership 'nightly' was done by "
                        + database.one("SELECT ran_by FROM baton.leadership") + " at " + began
                        + "; the next run may begin at " + began.plus(Duration.ofHours(1)) + ".\n");
    }

    @Test
    void aRunThatFailedMayBeTriedAgainAtOnce(TestDatabase database) {
        assertThat(job(database, HOURLY, "exit 3").run().code()).isEqualTo(3);

        job(database, HOURLY, "true").run().succeeds();
    }

    @Test
    void aRunThatWasKilledMayBeTriedAgainAtOnceAndAStandbyDoes(TestDatabase database) {
        try (Cli killed = job(database, HOURLY, "echo leading; cat").start()) {
            killed.awaitLine("leading");
            try (Cli standby = Cli.baton("lead", "nightly", "--wait", HOURLY, "--", "echo", "taken over")
                    .on(database.url())
                    .start()) {
                await().atMost(Cli.PATIENCE)
                        .until(() -> database.one("SELECT standbys FROM baton.leader_status")
                                .equals("1"));
                killed.signal("KILL");

                assertThat(standby.awaitEnd().succeeds().out()).isEqualTo("taken over\n");
            }
        }
    }

    @Test
    void whoStoodByWhileItWasDoneDoesNotDoItOnceMore(TestDatabase database) throws Exception {
        try (Cli first = job(database, HOURLY, "echo leading; cat").start()) {
            first.awaitLine("leading");
            try (Cli standby = Cli.baton("lead", "nightly", "--timeout", "50s", HOURLY, "--", "echo", "never")
                    .on(database.url())
                    .start()) {
                await().atMost(Cli.PATIENCE)
                        .until(() -> database.one("SELECT standbys FROM baton.leader_status")
                                .equals("1"));
                first.closeInput();
                first.awaitEnd().succeeds();

                standby.awaitEnd().complains(75, "Leadership 'nightly' was done by ");
            }
        }
    }

    @Test
    void aRestIsKeptAlsoAfterARunThatFailed(TestDatabase database) {
        assertThat(job(database, "--at-least-for=1h", "exit 3").run().code()).isEqualTo(3);

        job(database, "--at-most-every=1s", "echo never").run().complains(75, "Leadership 'nightly' was tried by ");
    }

    @Test
    void aPaceOfNothingMakesNoSense(TestDatabase database) {
        job(database, "--at-most-every=0s", "true").run().complains(64, "--at-most-every takes 1ms to 366d");
        job(database, "--at-least-for=400d", "true").run().complains(64, "--at-least-for takes 1ms to 366d");
    }

    /**
     * The winner's answer is on its way when the process is frozen: a trigger holds it back in the server until then. When it wakes
     * up, the next epoch leads.
     */
    @Test
    void aCommandIsNotStartedWhenItsTermIsOverAlready(TestDatabase database, @TempDir Path folder) throws Exception {
        Path started = folder.resolve("started");
        Cli.baton("migrate").on(database.url()).run().succeeds();
        database.execute("CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS"
                + " 'BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN new; END'");
        database.execute("CREATE TRIGGER hold AFTER UPDATE ON baton.leadership FOR EACH ROW EXECUTE FUNCTION hold()");
        Cli frozen;
        try (var holder = database.connect();
                var statement = holder.createStatement()) {
            statement.execute("SELECT pg_advisory_lock(4711)");
            frozen = Cli.baton("lead", "nightly", "--lease", "2s", "--", "touch", started.toString())
                    .on(database.url())
                    .start();
            await().atMost(Cli.PATIENCE)
                    .until(() -> database.one("SELECT count(*) FROM pg_locks WHERE NOT granted AND objid = 4711")
                            .equals("1"));
            frozen.signal("STOP");
        }
        try (frozen) {
            try (Cli next = Cli.baton("lead", "nightly", "--wait", "--", "sh", "-c", "echo leading $BATON_EPOCH; cat")
                    .on(database.url())
                    .start()) {
                next.awaitLine("leading");
                frozen.signal("CONT");

                Cli.Ended late = frozen.awaitEnd();
                assertThat(started).doesNotExist();
                late.complains(75, "Leadership 'nightly' was lost before the command could be started (epoch ");
            }
        }
    }

    private static Cli.Run job(TestDatabase database, String pace, String command) {
        return Cli.baton("lead", "nightly", pace, "--", "sh", "-c", command).on(database.url());
    }
}
