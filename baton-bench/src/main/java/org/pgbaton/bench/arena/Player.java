package org.pgbaton.bench.arena;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A JVM of its own that executes commands. A command is a line on its standard input, words separated by tabs. The
 * player answers {@code OK} and words, or {@code FAILED} and why. All other lines that it prints are events. A player
 * that does not answer in time is killed.
 */
public final class Player implements AutoCloseable {
    private static final Duration START = Duration.ofMinutes(1);
    private static final String GONE = "GONE";

    private final String name;
    private final Process process;
    private final BufferedWriter in;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private volatile Consumer<String[]> listener = event -> {};

    private Player(String name, List<String> command) throws IOException, InterruptedException {
        this.name = name;
        this.process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        this.in = process.outputWriter();
        Thread reader = new Thread(this::read, "reader-" + name);
        reader.setDaemon(true);
        reader.start();
        answer("READY", START);
    }

    /**
     * The same heap and collector for everybody.
     *
     * @param flags of the JVM, in addition
     */
    public static Player of(String name, List<String> flags, String classPath, String mainClass, List<String> arguments)
            throws IOException, InterruptedException {
        String java = ProcessHandle.current().info().command().orElse("java");
        List<String> command = new ArrayList<>(List.of(java, "-XX:+UseSerialGC", "-Xms256m", "-Xmx768m"));
        command.addAll(flags);
        command.addAll(List.of("-cp", classPath, mainClass));
        command.addAll(arguments);
        return new Player(name, command);
    }

    private void read() {
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("EVENT\t")) {
                    listener.accept(line.split("\t", -1));
                } else if (line.equals("READY") || line.startsWith("OK\t") || line.startsWith("FAILED\t")) {
                    answers.add(line);
                }
            }
        } catch (IOException killed) {
            // as if it had ended
        }
        answers.add(GONE);
    }

    public String name() {
        return name;
    }

    public void onEvent(Consumer<String[]> heard) {
        listener = heard;
    }

    public long pid() {
        return process.pid();
    }

    /** CPU time that it has used so far, in nanoseconds. */
    public long cpu() {
        return CpuTime.ofProcess(process.pid());
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** @return the words after OK */
    public Words ask(Duration patience, Object... words) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>();
        for (Object word : words) {
            line.add(String.valueOf(word));
        }
        in.write(String.join("\t", line));
        in.newLine();
        in.flush();
        return new Words(List.of(answer(String.valueOf(words[0]), patience).split("\t", -1)));
    }

    private String answer(String what, Duration patience) throws InterruptedException {
        String answer = answers.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
        if (answer == null) {
            kill();
            throw new IllegalStateException(
                    name + " did not answer '" + what + "' within " + patience.toSeconds() + " s");
        }
        if (answer.equals(GONE)) {
            answers.add(GONE);
            kill();
            throw new IllegalStateException(name + " ended during '" + what + "'");
        }
        if (answer.startsWith("FAILED\t")) {
            throw new IllegalStateException(name + ": " + answer.substring(7));
        }
        return answer;
    }

    /** {@code kill -9}. */
    public void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public String toString() {
        return name;
    }

    /** An answer. */
    public record Words(List<String> words) {
        /** An answer with these words, as if the player had given it. */
        public static Words of(String answer) {
            return new Words(List.of(("OK\t" + answer).split("\t", -1)));
        }

        public long number(int index) {
            return Long.parseLong(words.get(index + 1));
        }

        /** The rate, from a number of rows and nanoseconds. */
        public double perSecond() {
            return number(0) * 1e9 / number(1);
        }

        /** The same, with nanoseconds of CPU time of PostgreSQL and of Baton behind them. */
        public Cost cost() {
            return Cost.of(number(0), number(1), number(2), number(3));
        }
    }
}
