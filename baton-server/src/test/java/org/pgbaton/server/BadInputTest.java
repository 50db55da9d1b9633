package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/** Whatever a user gets wrong: the right exit code, a sentence that helps, nothing on standard output. */
class BadInputTest {
    private static TestDatabase database;

    @TempDir
    private static Path folder;

    @BeforeAll
    static void prepare() throws Exception {
        database = TestServer.shared().newDatabase();
        database.execute("CREATE ROLE powerless LOGIN");
        Files.createFile(folder.resolve("no-program"));
    }

    @AfterAll
    static void tidyUp() throws Exception {
        database.close();
    }

    /** @param arguments with {@code {folder}} for a folder that has a file {@code no-program} in it */
    private record Mistake(int code, String sentence, List<String> arguments) {
        @Override
        public String toString() {
            String line = String.join(" ", arguments);
            return line.substring(0, Math.min(60, line.length())).replaceAll("\\p{Cntrl}", "?") + " → " + code;
        }
    }

    private static Mistake mistake(int code, String sentence, String... arguments) {
        return new Mistake(code, sentence, List.of(arguments));
    }

    static Stream<Mistake> mistakes() {
        return Stream.of(
                mistake(64, "There is no command 'staus'; did you mean 'status'?", "staus"),
                mistake(64, "There is no command 'zzz'", "zzz"),
                mistake(64, "There is no option '--wiat'; did you mean '--wait'?", "lead", "x", "--wiat", "--", "true"),
                mistake(64, "There is no option '--jsno'; did you mean '--json'?", "status", "--jsno=true"),
                mistake(64, "There is no option '--nonsense'.", "lead", "x", "--nonsense", "--", "true"),
                mistake(64, "write '--' before the command", "lead", "x", "echo", "-n", "hello"),
                mistake(64, "'extra' is one too many", "status", "extra"),
                mistake(64, "Missing required parameter: '-- COMMAND'", "lead", "x"),
                mistake(64, "Missing required parameter: '-- COMMAND'", "lead", "x", "--wait", "--"),
                mistake(64, "Missing required parameters: 'NAME', '-- COMMAND'", "lead"),
                mistake(64, "give one of them", "lead", "x", "--wait", "--timeout", "3s", "--", "true"),
                mistake(64, "has 10000 characters: give 1 to 200", "lead", "a".repeat(10_000), "--", "true"),
                mistake(64, "A leadership needs a name", "lead", "", "--", "true"),
                mistake(64, "'a?b' contains the control character U+0007", "lead", "a\u0007b", "--", "true"),
                mistake(64, "'0' is no duration; write for example", "lead", "x", "--lease", "0", "--", "true"),
                mistake(64, "A lease of 0.0 s makes no sense", "lead", "x", "--lease", "0s", "--", "true"),
                mistake(64, "give 2 s to 1 day", "lead", "x", "--lease", "1s", "--", "true"),
                mistake(64, "'abc' is no duration", "lead", "x", "--lease", "abc", "--", "true"),
                mistake(64, "'-5s' is no duration", "lead", "x", "--lease", "-5s", "--", "true"),
                mistake(64, "'abc' is no whole number", "lead", "x", "--key", "abc", "--", "true"),
                mistake(64, "starts with none of postgres://", "status", "--database-url", "mysql://host/db"),
                mistake(64, "The database URL is empty", "lead", "x", "--database-url", "", "--", "true"),
                mistake(64, "cannot be the name of Baton's schema", "lead", "x", "--schema", "a b", "--", "true"),
                mistake(64, "give only one of them", "status", "--data-dir", "{folder}/none"),
                mistake(
                        64,
                        "The password file {folder}/none cannot be read",
                        "status",
                        "--password-file",
                        "{folder}/none"),
                mistake(64, "--rounds -1 makes no sense", "demo", "--rounds", "-1"),
                mistake(64, "'many' is no whole number", "demo", "--rounds", "many"),
                mistake(127, "'no-such-command' was not found", "lead", "x", "--", "no-such-command"),
                mistake(127, "'{folder}/none' was not found", "lead", "x", "--", "{folder}/none"),
                mistake(126, "'{folder}/no-program' cannot be executed", "lead", "x", "--", "{folder}/no-program"),
                mistake(126, "'{folder}' cannot be executed", "lead", "x", "--", "{folder}"),
                mistake(
                        69,
                        "'no-such-host.invalid' cannot be resolved",
                        "status",
                        "--database-url",
                        "postgres://no-such-host.invalid/db"),
                mistake(
                        69,
                        "127.0.0.1:1 refused",
                        "lead",
                        "x",
                        "--database-url",
                        "postgres://127.0.0.1:1/db",
                        "--",
                        "true"),
                mistake(69, "127.0.0.1:1 refused", "doctor", "--database-url", "postgres://127.0.0.1:1/db"),
                mistake(
                        78,
                        "\"nowhere\" does not exist. Create it, or",
                        "lead",
                        "x",
                        "--database-url",
                        "{server}/nowhere",
                        "--",
                        "true"),
                mistake(78, "permission denied", "lead", "x", "--database-url", "{powerless}", "--", "true"),
                mistake(78, "permission denied", "migrate", "--schema", "other", "--database-url", "{powerless}"),
                mistake(78, "run 'baton migrate'", "lead", "x", "--schema", "other", "--no-migrate", "--", "true"),
                mistake(78, "run 'baton migrate'", "status", "--schema", "other"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void aMistakeGetsItsCodeAndASentence(Mistake mistake) {
        String[] arguments =
                mistake.arguments.stream().map(BadInputTest::filledIn).toArray(String[]::new);

        Cli.baton(arguments).on(database.url()).run().complains(mistake.code, filledIn(mistake.sentence));
    }

    private static String filledIn(String text) {
        return text.replace("{folder}", folder.toString())
                .replace("{powerless}", database.urlFor("powerless"))
                .replace("{server}", database.urlFor("postgres").replaceFirst("/[^/]*$", ""));
    }

    @Test
    void aPasswordFileWithoutADatabaseIsNotQuietlyIgnored() throws IOException {
        Path password = Files.writeString(folder.resolve("password"), "secret");

        Cli.baton("status", "--password-file", password.toString())
                .run()
                .complains(64, "add --database-url or set BATON_DATABASE_URL");
    }

    @Test
    void helpIsNoMistake() {
        Cli.Ended asked = Cli.baton("lead", "--help").run().succeeds();

        assertThat(asked.out()).contains("Examples:").contains("baton lead nightly -- ./report.sh");
        assertThat(asked.err()).isEmpty();
        assertThat(Cli.baton("help", "lead").run().succeeds().out()).isEqualTo(asked.out());
    }

    @Test
    void everyCommandTellsTheVersion() {
        assertThat(Cli.baton("--version").run().succeeds().out())
                .startsWith("baton ")
                .contains("Java ");
        assertThat(Cli.baton("lead", "--version").run().succeeds().out())
                .startsWith("baton ")
                .contains("Java ");
    }
}
