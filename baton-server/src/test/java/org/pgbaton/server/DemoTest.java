package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code baton demo} ends with a verdict and leaves nothing behind, whenever and however it ends. */
class DemoTest {
    /** Below the time for which a Ctrl-C would wait for a demo that does not end. */
    private static final Duration AFTER_THE_VERDICT = Duration.ofSeconds(15);

    @TempDir
    private Path folder;

    @Test
    void soManyRoundsAndAVerdict() {
        try (Cli demo = demo("--rounds", "2").start()) {
            demo.awaitLine("round   1");
            List<ProcessHandle> workers = workersOf(demo);

            demo.awaitLine("OK: ");
            Cli.Ended ended = demo.awaitEnd(AFTER_THE_VERDICT).succeeds();
            assertThat(ended.out().lines().filter(line -> line.startsWith("round ")))
                    .hasSize(2)
                    .allSatisfy(line -> assertThat(line)
                            .containsPattern(
                                    "; \\d+ lanes? went on after +[\\d.]+ ms; [\\d,]+ published, [\\d,]+ alerts$"));
            assertTradesWereHandledAndAlertsTold(ended);
            assertThat(lastLine(ended))
                    .startsWith("OK: 2 leaders killed, takeover median ")
                    .endsWith("never two leaders.");
            assertThat(ended.err()).isEmpty();
            assertNothingIsLeft(workers);
        }
    }

    @Test
    void ctrlCEndsItWithAVerdict() {
        try (Cli demo = demo("--rounds", "0").through("setsid").start()) {
            demo.awaitLine("round   1");
            List<ProcessHandle> workers = workersOf(demo);
            demo.signalGroup("INT");

            demo.awaitLine("OK: ");
            Cli.Ended ended = demo.awaitEnd(AFTER_THE_VERDICT);
            assertThat(ended.code()).isEqualTo(130);
            assertThat(lastLine(ended)).startsWith("OK: ").endsWith("never two leaders.");
            assertTradesWereHandledAndAlertsTold(ended);
            assertThat(ended.err()).isEmpty();
            assertNothingIsLeft(workers);
        }
    }

    @Test
    void ctrlCWhileItStartsLeavesNothingEither() {
        try (Cli demo = demo().through("setsid").start()) {
            demo.awaitLine("Starting PostgreSQL");
            demo.signalGroup("INT");

            Cli.Ended ended = demo.awaitEnd();
            assertThat(ended.code()).isEqualTo(130);
            assertThat(lastLine(ended)).isEqualTo("No verdict: no leader was killed.");
            assertThat(ended.err()).isEmpty();
            assertNothingIsLeft(List.of());
        }
    }

    private static void assertTradesWereHandledAndAlertsTold(Cli.Ended ended) {
        assertThat(ended.out())
                .containsPattern("\n([\\d,]{2,}) trades of [\\d,]{2,} portfolios appended, \\1 handled: ")
                .containsPattern("\n([\\d,]{2,}) trades published to a webhook; [\\d,]+ of them came once more")
                .contains("\nEvery balance is right; every trade was handled once and published in the order of its "
                        + "portfolio.\n")
                // Each of them, in both channels and in the verdict.
                .containsPattern(
                        "\n([\\d,]+) alerts, of trades over 900, read from the WAL by one worker at a time[^\n]+\n"
                                + "'slack' hung all the while, and delayed nobody; when it answered again it got all \\1 within "
                                + "[^\n]+\nOK: [^\n]+; \\1 alerts; ");
    }

    private Cli.Run demo(String... options) {
        String[] arguments = new String[options.length + 1];
        arguments[0] = "demo";
        System.arraycopy(options, 0, arguments, 1, options.length);
        return Cli.baton(arguments).withJavaOption("-Djava.io.tmpdir=" + folder);
    }

    private static List<ProcessHandle> workersOf(Cli demo) {
        List<ProcessHandle> workers =
                ProcessHandle.of(demo.pid()).orElseThrow().children().toList();
        assertThat(workers).isNotEmpty();
        return workers;
    }

    private static String lastLine(Cli.Ended ended) {
        return ended.out().lines().reduce("", (before, line) -> line);
    }

    private void assertNothingIsLeft(List<ProcessHandle> workers) {
        assertThat(workers).noneMatch(worker -> Processes.isRunning(worker.pid()));
        assertThat(Processes.mentioning(folder.toString())).isEmpty();
        assertThat(folder).isEmptyDirectory();
    }
}
