package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Without a database named, there is one inside: started by the first, shared by all, stopped by the last. */
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
        Cli.Run inTheUsersFolder =
                Cli.baton("lead", "kept", "--", "sh", "-c", "echo $BATON_EPOCH").with("XDG_DATA_HOME", home.toString());
        Cli.Run inANamedFolder = lead("kept", "echo $BATON_EPOCH");

        assertThat(inTheUsersFolder.run().succeeds().out()).isEqualTo("1\n");
        assertThat(inANamedFolder.run().succeeds().out()).isEqualTo("2\n");
    }

    @Test
    void theCommandIsToldWhereTheDatabaseIs() {
        assertThat(lead("told", "echo $BATON_DATABASE_URL").run().succeeds().out())
                .matches("postgres://postgres@127.0.0.1:\\d+/postgres\n");
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
