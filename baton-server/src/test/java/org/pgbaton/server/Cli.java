package org.pgbaton.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * {@code baton} in a JVM of its own, as a user runs it: arguments, environment and signals go in; standard output, standard
 * error and the exit code come out. Both outputs go to files, so that nobody waits for a grandchild that keeps a pipe open.
 */
final class Cli implements AutoCloseable {
    /** Far more than a JVM needs to start on a busy machine; only a failing test waits so long. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Process process;
    private final Path folder;

    private Cli(Process process, Path folder) {
        this.process = process;
        this.folder = folder;
    }

    static Run baton(String... arguments) {
        return new Run(List.of(arguments));
    }

    /** What can be said before it starts. The variables that choose a database are not inherited. */
    static final class Run {
        private final List<String> prefix = new ArrayList<>();
        private final List<String> javaOptions =
                new ArrayList<>(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"));
        private final List<String> arguments;
        private final ProcessBuilder builder = new ProcessBuilder();

        private Run(List<String> arguments) {
            this.arguments = arguments;
            builder.environment().keySet().removeIf(name -> name.startsWith("BATON_") || name.startsWith("PG"));
            builder.environment().put("LC_ALL", "C.UTF-8");
        }

        Run on(String databaseUrl) {
            return with("BATON_DATABASE_URL", databaseUrl);
        }

        Run with(String variable, String value) {
            builder.environment().put(variable, value);
            return this;
        }

        /** By another command: {@code setsid} makes a process group of its own, as a shell does for what it runs. */
        Run through(String... command) {
            prefix.addAll(List.of(command));
            return this;
        }

        Run in(Path folder) {
            builder.directory(folder.toFile());
            return this;
        }

        Run withJavaOption(String option) {
            javaOptions.add(option);
            return this;
        }

        Cli start() {
            List<String> command = new ArrayList<>(Dispositions.reset());
            command.addAll(prefix);
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(javaOptions);
            command.addAll(ClassArchive.javaOptions());
            command.add(Main.class.getName());
            command.addAll(arguments);
            try {
                Path folder = Files.createTempDirectory("cli-");
                Process started = builder.command(command)
                        .redirectOutput(folder.resolve("out").toFile())
                        .redirectError(folder.resolve("err").toFile())
                        .start();
                return new Cli(started, folder);
            } catch (IOException refused) {
                throw new UncheckedIOException(refused);
            }
        }

        /** Starts it and waits until it has ended. */
        Ended run() {
            try (Cli cli = start()) {
                return cli.awaitEnd();
            }
        }
    }

    /** How it ended, and all it said. */
    record Ended(int code, String out, String err) {
        /** One sentence, perhaps a hint in a second line, and nothing that only a programmer would understand. */
        Ended complains(int expectedCode, String part) {
            assertThat(err).as("standard error").contains(part).startsWith("baton: ");
            assertThat(code).as("exit code, after: %s", err).isEqualTo(expectedCode);
            assertThat(err.lines()).as("lines of standard error").hasSizeBetween(1, 2);
            assertThat(err).doesNotContain("Exception", "\tat ", "null");
            assertThat(out).as("standard output").isEmpty();
            return this;
        }

        Ended succeeds() {
            assertThat(code).as("exit code, after: %s", err).isZero();
            return this;
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    String out() {
        return read("out");
    }

    String err() {
        return read("err");
    }

    private String read(String file) {
        try {
            return Files.readString(folder.resolve(file));
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
    }

    /** Waits for a whole line on standard output, and returns it. */
    String awaitLine(String start) {
        await(() -> line(start) != null);
        String line = line(start);
        assertThat(line)
                .as("a line '%s…' in %s, with errors %s", start, out(), err())
                .isNotNull();
        return String.valueOf(line);
    }

    /** Waits until this is on standard error, in whole lines. */
    void awaitError(String part) {
        await(() -> wholeLines(err()).contains(part));
        assertThat(wholeLines(err()))
                .as("standard error, with output %s", out())
                .contains(part);
    }

    /** Until it is so, or it has ended, or too much time has passed; an assertion will tell, with all that was said. */
    private void await(BooleanSupplier condition) {
        try {
            Awaitility.await().atMost(PATIENCE).until(() -> !process.isAlive() || condition.getAsBoolean());
        } catch (ConditionTimeoutException late) {
            // See above.
        }
    }

    private static String wholeLines(String all) {
        return all.substring(0, all.lastIndexOf('\n') + 1);
    }

    private @Nullable String line(String start) {
        return wholeLines(out())
                .lines()
                .filter(line -> line.startsWith(start))
                .findFirst()
                .orElse(null);
    }

    /** The number behind a word that the command prints at the start of a line. */
    long awaitNumber(String word) {
        return Long.parseLong(awaitLine(word + " ").substring(word.length() + 1));
    }

    Ended awaitEnd() {
        return awaitEnd(PATIENCE);
    }

    Ended awaitEnd(Duration atMost) {
        try {
            assertThat(process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS))
                    .as("ended within %s; it said: %s %s", atMost, out(), err())
                    .isTrue();
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", inAHurry);
        }
        return new Ended(process.exitValue(), out(), err());
    }

    /** To its standard input. */
    void type(String text) throws IOException {
        process.outputWriter().write(text);
        process.outputWriter().flush();
    }

    void closeInput() throws IOException {
        process.outputWriter().close();
    }

    /** As {@code kill} does. */
    void signal(String name) {
        signal(name, Long.toString(pid()));
    }

    /** As Ctrl-C in a terminal does; see {@link Run#through}. */
    void signalGroup(String name) {
        signal(name, "-" + pid());
    }

    private static void signal(String name, String target) {
        try {
            int code = new ProcessBuilder("kill", "-" + name, "--", target)
                    .inheritIO()
                    .start()
                    .waitFor();
            assertThat(code).as("kill -%s %s", name, target).isZero();
        } catch (IOException | InterruptedException failure) {
            throw new AssertionError("kill -" + name + " " + target, failure);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
        try {
            Files.deleteIfExists(folder.resolve("out"));
            Files.deleteIfExists(folder.resolve("err"));
            Files.deleteIfExists(folder);
        } catch (IOException leftBehind) {
            throw new UncheckedIOException(leftBehind);
        }
    }
}
