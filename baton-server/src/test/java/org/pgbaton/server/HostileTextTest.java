package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.pgbaton.session.LineLogger;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keys, errors and payloads are whatever somebody wrote: they begin no log line and command no terminal. */
@BatonTest
class HostileTextTest {
    private static final String FORGED = "00:00:00.000 INFO  [main] all is well";
    private static final String KEY = "P7\n" + FORGED + "\u001b[2J";

    @Test
    void aHostileKeyAndErrorAreEscapedWhereverTheyAreShown(TestDatabase database) throws Exception {
        try (Shop shop = Shop.open(database)) {
            shop.park(KEY, 1);

            for (List<String> command : List.of(
                    List.of("parked", "list"),
                    List.of("parked", "show", "balances", KEY),
                    List.of("parked", "skip", "balances", KEY, "99", "--reason", "x"),
                    List.of("parked", "show", "balances", KEY + "\u0007"),
                    List.of("parked", "retry", "balances", KEY + "\u0007"),
                    List.of("logs", "redact", "events", "1", "--reason", "x"))) {
                Cli.Ended ended = Cli.baton(command.toArray(String[]::new))
                        .on(database.url())
                        .run();

                assertThat(ended.out() + ended.err())
                        .as("%s", command)
                        .containsPattern(
                                "P7(\\\\n| )00:00:00.000 INFO +\\[main\\] all is well") // a table has single spaces
                        .doesNotContain("\u001b", "\u0007", "\n" + FORGED);
            }
            Cli.baton("subscriptions", "actions").on(database.url()).run().succeeds();
        }
    }

    @Test
    void aLogLineIsOneLineWhoeverLogsItAndAStackTraceIsIndented() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        LogsIt.class.getName())
                .redirectErrorStream(true)
                .start();
        List<String> lines = process.inputReader().lines().toList();

        assertThat(lines).anyMatch(line -> line.endsWith("ours: P7\\n" + FORGED + "\\u001b[2J {}"));
        assertThat(lines).anyMatch(line -> line.endsWith("theirs: P7\\n" + FORGED + "\\u001b[2J"));
        assertThat(lines).noneMatch(line -> line.startsWith("00:00")).noneMatch(line -> line.contains("\u001b"));
        assertThat(lines).contains("    " + FORGED + "\\u001b[2J");
    }

    /** Also for what is written tomorrow: one place prints, and in the core one place logs. */
    @Test
    void nobodyPrintsOrLogsPastTheEscaping() throws Exception {
        assertThat(mentioning("src/main/java", "System.out.print", "System.err.print"))
                .containsExactlyInAnyOrder(
                        "Output.java",
                        "Watch.java", // clears the screen
                        "MigrateCommand.java", // scripts of ours
                        "CompletionCommand.java", // likewise
                        "Confirmation.java", // a question of ours
                        "ProgressLine.java", // a line that is overwritten
                        "DemoWorkerCommand.java",
                        "ShowCommand.java"); // an empty line
        assertThat(mentioning("../baton-core/src/main/java", "LoggerFactory.getLogger"))
                .containsExactly("LineLogger.java");
    }

    private static List<String> mentioning(String folder, String... texts) throws Exception {
        try (Stream<Path> files = Files.walk(Path.of(folder))) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> {
                        String source = read(file);
                        return Stream.of(texts).anyMatch(source::contains);
                    })
                    .map(file -> file.getFileName().toString())
                    .toList();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (java.io.IOException gone) {
            throw new java.io.UncheckedIOException(gone);
        }
    }

    /** Logs as the core does and as a library does. */
    static final class LogsIt {
        public static void main(String[] arguments) {
            Logger ours = LineLogger.of(LogsIt.class);
            ours.error("ours: {} {}", KEY, "{}");
            LoggerFactory.getLogger("com.example").error("theirs: " + KEY, new IllegalStateException(KEY));
        }
    }
}
