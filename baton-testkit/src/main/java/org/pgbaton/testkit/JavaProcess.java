package org.pgbaton.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A real JVM that runs a main class of the test's class path. Tests can kill and freeze it. The program should end when
 * its standard input ends, so that it does not outlive the test; {@link #close} kills it in any case.
 *
 * <p>Its standard output arrives line by line, with the time of arrival; its standard error goes to ours. Not
 * thread-safe.
 */
public final class JavaProcess implements AutoCloseable {
    /**
     * A line that a process has printed.
     *
     * @param at {@link System#nanoTime} of arrival
     */
    public record Line(String text, long at) {}

    private static final long LOOK_NANOS = 500_000_000;

    private final Process process;
    private final BlockingQueue<Line> lines = new LinkedBlockingQueue<>();
    private final List<String> seen = new ArrayList<>();

    private JavaProcess(Process process) {
        this.process = process;
        Thread reader = new Thread(this::read, "reader-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts a main class of the test's class path. */
    public static JavaProcess start(Class<?> main, String... arguments) {
        return start(List.of(), main, arguments);
    }

    /**
     * Starts a main class of the test's class path, by another command.
     *
     * @param prefix a command that runs the JVM, such as {@code ip netns exec name}
     */
    public static JavaProcess start(List<String> prefix, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m", "-cp"));
        command.add(System.getProperty("java.class.path"));
        command.add(main.getName());
        command.addAll(List.of(arguments));
        try {
            return new JavaProcess(new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
        } catch (IOException refused) {
            throw new UncheckedIOException(refused);
        }
    }

    private void read() {
        try (BufferedReader output = process.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                lines.add(new Line(line, System.nanoTime()));
            }
        } catch (IOException killed) {
            lines.add(new Line("(output ended: " + killed.getMessage() + ")", System.nanoTime()));
        }
    }

    /** Its number. */
    public long pid() {
        return process.pid();
    }

    /** Whether it has not ended yet. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Waits for a line that starts like this, and forgets the ones before it. */
    public Line await(String start, Duration atMost) throws InterruptedException {
        return await(line -> line.startsWith(start), "a line starting with '" + start + "'", atMost);
    }

    private Line await(Predicate<String> wanted, String what, Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        while (true) {
            // Whoever is dead when we begin to wait has printed everything by the end of a wait.
            boolean wasAlive = isAlive();
            long rest = Math.max(0, end - System.nanoTime());
            Line line = lines.poll(Math.min(rest, LOOK_NANOS), TimeUnit.NANOSECONDS);
            if (line == null && wasAlive && rest > LOOK_NANOS) {
                continue;
            }
            if (line == null) {
                throw new AssertionError("Process " + pid() + (isAlive() ? "" : " (dead)") + " did not print " + what
                        + " within " + atMost + "; it printed " + seen);
            }
            seen.add(line.text());
            if (wanted.test(line.text())) {
                return line;
            }
        }
    }

    /** Whether such a line has come by now. It does not wait, and forgets the lines that it looked at. */
    public boolean hasPrinted(String start) {
        List<Line> now = new ArrayList<>();
        lines.drainTo(now);
        now.forEach(line -> seen.add(line.text()));
        return now.stream().anyMatch(line -> line.text().startsWith(start));
    }

    /** Writes a line to its standard input. */
    public void say(String line) throws IOException {
        process.outputWriter().write(line + "\n");
        process.outputWriter().flush();
    }

    /** Ends its standard input, which it should take as a request to end in good order. */
    public void endInput() throws IOException {
        process.outputWriter().close();
    }

    /** Kills it (SIGKILL), and waits until it has ended. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Asks it to end (SIGTERM). */
    public void terminate() {
        process.destroy();
    }

    /** Freezes it (SIGSTOP): it answers nothing any more, and its kernel goes on answering for it. */
    public void freeze() throws InterruptedException {
        Signals.freeze(pid());
    }

    /** Lets it go on (SIGCONT). */
    public void thaw() {
        Signals.thaw(pid());
    }

    /**
     * Waits for its end, and gives its exit code.
     *
     * @throws AssertionError if it has not ended within that time
     */
    public int awaitExit(Duration atMost) throws InterruptedException {
        if (!process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new AssertionError("Process " + pid() + " did not end within " + atMost);
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
        }
    }
}
