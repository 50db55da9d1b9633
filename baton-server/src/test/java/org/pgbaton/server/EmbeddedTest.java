package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * There is a database inside: started by the first, shared by all, stopped by the last. What excludes other hosts uses it only if
 * asked to; whatever else uses it says so.
 */
@Execution(ExecutionMode.SAME_THREAD)
class EmbeddedTest {
    @TempDir
    private static Path home;

    private static Path folder() {
        return home.resolve("baton/postgres");
    }

    @AfterEach
    void noServerIsLeftRunning() {
        assertThat(Processes.mentioning(folder().toString())).isEmpty();
    }

    @Test
    void theFolderIsTheUsersUnlessItIsNamedAndKeepsWhatWasWritten() {
        Cli.Run inTheUsersFolder = Cli.baton("lead", "kept", "--embedded", "--", "sh", "-c", "echo $BATON_EPOCH")
                .with("XDG_DATA_HOME", home.toString());
        Cli.Run inANamedFolder = lead("kept", "echo $BATON_EPOCH");

        Cli.Ended first = inTheUsersFolder.run().succeeds();
        assertThat(first.err()).isEmpty();
        long epoch = Long.parseLong(first.out().strip());
        assertThat(Long.parseLong(inANamedFolder.run().succeeds().out().strip()))
                .as("epochs grow over the life of a database")
                .isGreaterThan(epoch);
    }

    @Test
    void leadAndServeDemandADatabaseOrToBeToldThatItIsTheEmbeddedOne(@TempDir Path folder) throws Exception {
        String refusal =
                "baton: No database is named: give --database-url or set BATON_DATABASE_URL, as all hosts must use the same "
                        + "one; or give --embedded to use the embedded PostgreSQL of this machine.\n";
        Path marker = folder.resolve("ran");
        Files.writeString(folder.resolve("baton.yaml"), "relays:\n  - name: trades\n    target: {stdout: {}}\n");

        assertThat(nowhere("lead", "nightly", "--", "touch", marker.toString())
                        .run()
                        .complains(64, "--embedded")
                        .err())
                .isEqualTo(refusal);
        assertThat(marker).doesNotExist();
        assertThat(nowhere("serve").in(folder).run().complains(64, "--embedded").err())
                .isEqualTo(refusal);
        assertThat(nowhere("serve", "--check").in(folder).run().succeeds().err())
                .contains("not checked: no database is named; 'serve' needs one");
    }

    @Test
    void theOthersSayThatTheyUseTheEmbeddedOneAndWhere() {
        Cli.Ended ended = nowhere("status").run().succeeds();

        assertThat(ended.err())
                .startsWith("baton: Using the embedded PostgreSQL in " + folder()
                        + ", since no database is named (--database-url, BATON_DATABASE_URL).\n")
                .contains("baton: While it runs: PGPASSFILE=" + folder() + "/pgpass psql -h 127.0.0.1 -p ");
        assertThat(nowhere("logs", "list", "--embedded").run().succeeds().err()).isEmpty();
        Cli.baton("status", "--embedded", "--database-url", "postgres://app@db:5432/shop")
                .run()
                .complains(
                        64,
                        "--embedded is given, and a database is named as well (postgres://app@db:5432/shop); give only one");
    }

    private static Cli.Run nowhere(String... arguments) {
        return Cli.baton(arguments).with("XDG_DATA_HOME", home.toString());
    }

    @Test
    void theCommandIsToldWhereTheDatabaseIs() {
        assertThat(lead("told", "echo $BATON_DATABASE_URL").run().succeeds().out())
                .matches("postgres://postgres@127.0.0.1:\\d+/postgres\n");
    }

    @Test
    void theCommandReachesTheDatabaseAndOthersOnThisMachineDoNot() {
        assumeTrue(isThere("psql"), "psql is not installed");
        assertThat(lead("told", "psql -At -c 'SELECT current_user' \"$BATON_DATABASE_URL\"")
                        .run()
                        .succeeds()
                        .out())
                .isEqualTo("postgres\n");
        Cli.Ended stranger = lead("told", "PGPASSFILE=/dev/null psql -w -c 'SELECT 1' \"$BATON_DATABASE_URL\"")
                .run();
        assertThat(stranger.code()).isEqualTo(2);
        assertThat(stranger.err()).contains("no password supplied");
    }

    private static boolean isThere(String program) {
        return Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    @Test
    void twoAtOnceShareTheServer() throws Exception {
        try (Cli first = lead("first", "echo leading; cat").start();
                Cli second = lead("second", "echo leading; cat").start()) {
            first.awaitLine("leading");
            second.awaitLine("leading");
            assertThat(Processes.mentioning(folder().toString()).stream()
                            .filter(line -> !line.contains(Main.class.getName())))
                    .hasSize(1);

            first.closeInput();
            first.awaitEnd().succeeds();
            second.type("still here\n");
            second.awaitLine("still here");
            assertThat(Cli.baton("lead", "second", "--data-dir", folder().toString(), "--", "true")
                            .run()
                            .code())
                    .isEqualTo(75);
            second.closeInput();
            second.awaitEnd().succeeds();
        }
    }

    @Test
    void aSignalStopsTheServerToo() {
        try (Cli leader = lead("job", "echo leading; cat").start()) {
            leader.awaitLine("leading");
            leader.signal("TERM");

            assertThat(leader.awaitEnd().code()).isEqualTo(143);
        }
    }

    private static Cli.Run lead(String name, String command) {
        return Cli.baton("lead", name, "--data-dir", folder().toString(), "--", "sh", "-c", command);
    }
}
