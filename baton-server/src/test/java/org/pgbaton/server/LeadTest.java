package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** {@code baton lead} runs the command and passes everything on, in both directions; if somebody else leads, it says who. */
@BatonTest
class LeadTest {
    @ParameterizedTest
    @CsvSource({"exit 0,0", "exit 3,3", "kill -KILL $$,137", "kill -TERM $$,143"})
    void theCommandsExitCodeIsPassedOn(String command, int code, TestDatabase database) {
        Cli.Ended ended = Cli.baton("lead", "job", "--", "sh", "-c", command)
                .on(database.url())
                .run();

        assertThat(ended.code()).isEqualTo(code);
        assertThat(ended.err()).isEmpty();
    }

    @Test
    void theCommandKnowsItsLeadershipAndAnEpochThatGrows(TestDatabase database) {
        Cli.Run first = Cli.baton("lead", "jöb", "--", "sh", "-c", "echo \"$BATON_LEADERSHIP $BATON_EPOCH\"")
                .on(database.url());

        assertThat(first.run().succeeds().out()).isEqualTo("jöb 1\n");
        assertThat(first.run().succeeds().out()).isEqualTo("jöb 2\n");
    }

    @Test
    void theCommandsStreamsAreOurs(TestDatabase database) throws Exception {
        try (Cli baton = Cli.baton("lead", "job", "--", "sh", "-c", "cat; echo oops >&2")
                .on(database.url())
                .start()) {
            baton.type("one line\nand another");
            baton.closeInput();

            Cli.Ended ended = baton.awaitEnd().succeeds();
            assertThat(ended.out()).isEqualTo("one line\nand another");
            assertThat(ended.err()).isEqualTo("oops\n");
        }
    }

    @Test
    void theCommandsArgumentsStayAsTheyAre(TestDatabase database, @TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "--wait");
        List<String> odd = List.of(
                "--wait",
                "-h",
                "--",
                "@" + file,
                "@@x",
                "",
                "a  b",
                "*",
                "\"q\"",
                "'q'",
                "${env:HOME}",
                "$HOME",
                "\\n",
                "ü…");
        List<String> all = new ArrayList<>(List.of("lead", "job", "--", "printf", "[%s]\\n"));
        all.addAll(odd);

        Cli.Ended ended =
                Cli.baton(all.toArray(String[]::new)).on(database.url()).run().succeeds();
        assertThat(ended.out().lines())
                .map(line -> line.substring(1, line.length() - 1))
                .isEqualTo(odd);
    }

    @Test
    void optionsMayStandBeforeAndBehindTheName(TestDatabase database) {
        Cli.Ended ended = Cli.baton(
                        "lead",
                        "--lease",
                        "3s",
                        "job",
                        "--wait",
                        "--database-url",
                        database.url(),
                        "--grace=1s",
                        "--",
                        "echo",
                        "leading")
                .run()
                .succeeds();

        assertThat(ended.out()).isEqualTo("leading\n");
    }

    @Test
    void ifSomebodyElseLeadsItSaysWhoAndSinceWhenAtOnce(TestDatabase database) {
        try (Cli leader = leading(database, "job")) {
            Cli.baton("lead", "job", "--", "echo", "never")
                    .on(database.url())
                    .run()
                    .complains(75, "Leadership 'job' is held by ")
                    .complains(75, "/" + leader.pid() + " since 20")
                    .complains(75, "(epoch 1); add --wait to stand by.");
        }
    }

    @Test
    void withATimeoutItWaitsThatLongAndNotLonger(TestDatabase database) {
        try (Cli leader = leading(database, "job")) {
            Instant start = Instant.now();
            Cli.baton("lead", "job", "--timeout", "1s", "--", "echo", "never")
                    .on(database.url())
                    .run()
                    .complains(75, "waited 1.0 s in vain");

            assertThat(Duration.between(start, Instant.now())).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(15));
            assertThat(leader.isAlive()).isTrue();
        }
    }

    @Test
    void aLeadershipIsFreeAgainWhenTheCommandHasEnded(TestDatabase database) throws Exception {
        Cli.baton("lead", "job", "--", "false").on(database.url()).run();

        assertThat(database.one("SELECT state FROM baton.leader_status WHERE name = 'job'"))
                .isEqualTo("vacant");
    }

    @Test
    void aNumberedKeyExcludesProgramsThatTakeThatAdvisoryLock(TestDatabase database) throws Exception {
        try (Connection other = database.connect();
                Statement statement = other.createStatement()) {
            statement.execute("SET application_name = 'legacy'");
            statement.execute("SELECT pg_advisory_lock(100)");
            Cli.baton("lead", "job", "--key", "100", "--", "echo", "never")
                    .on(database.url())
                    .run()
                    .complains(75, "held by legacy;");
        }
        Cli.Ended ended = Cli.baton("lead", "job", "--key=100", "--", "echo", "leading")
                .on(database.url())
                .run();
        assertThat(ended.out()).isEqualTo("leading\n");
    }

    @Test
    void aProgramThatTriesTheNumberedKeyMeanwhileIsRefused(TestDatabase database) throws Exception {
        try (Cli leader = Cli.baton("lead", "job", "--key", "100", "--", "sh", "-c", "echo leading; cat")
                .on(database.url())
                .start()) {
            leader.awaitLine("leading");
            assertThat(database.one("SELECT pg_try_advisory_lock(100)")).isEqualTo("f");
        }
    }

    @Test
    void aSetprivThatCannotTieIsNotUsed(TestDatabase database, @TempDir Path folder) throws IOException {
        Path setpriv =
                Files.writeString(folder.resolve("setpriv"), "#!/bin/sh\necho 'unrecognized option' >&2\nexit 1\n");
        Files.setPosixFilePermissions(setpriv, PosixFilePermissions.fromString("rwxr-xr-x"));

        Cli.Ended ended = Cli.baton("lead", "job", "--", "echo", "leading")
                .with("PATH", folder + ":" + System.getenv("PATH"))
                .on(database.url())
                .run()
                .succeeds();

        assertThat(ended.out()).isEqualTo("leading\n");
        assertThat(ended.err()).isEmpty();
    }

    @Test
    void theCommandGetsBackTheLocaleThatTheLauncherChanged(TestDatabase database) {
        assertThat(Cli.baton("lead", "job", "--", "sh", "-c", "echo \"$LC_ALL/${BATON_LC_ALL-unset}\"")
                        .with("BATON_LC_ALL", "C")
                        .on(database.url())
                        .run()
                        .succeeds()
                        .out())
                .isEqualTo("C/unset\n");
    }

    /** Leads until it is closed. */
    static Cli leading(TestDatabase database, String name) {
        Cli leader = Cli.baton("lead", name, "--", "sh", "-c", "echo leading; cat")
                .on(database.url())
                .start();
        leader.awaitLine("leading");
        return leader;
    }
}
