package org.pgbaton.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Another JVM, which does as it is told, line by line.
 *
 * <pre>
 * open FOLDER      → opened URL, or refused MESSAGE
 * close            → closed
 * throwaway        → opened DATA DIRECTORY
 * </pre>
 */
final class OtherJvm implements AutoCloseable {

    private static final long LIMIT_SECONDS = 90;

    private final Process process;

    private final PrintStream orders;

    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    private OtherJvm(Process process) {
        this.process = process;
        this.orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        Thread listener = new Thread(this::listen, "other-jvm-" + process.pid());
        listener.setDaemon(true);
        listener.start();
    }

    static OtherJvm start() {
        return start(List.of(), Map.of());
    }

    static OtherJvm start(List<String> options, Map<String, String> environment) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx128m"));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), OtherJvm.class.getName()));
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
            builder.environment().putAll(environment);
            return new OtherJvm(builder.start());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    void order(String order) {
        orders.println(order);
    }

    String answer() {
        try {
            String answer = answers.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
            if (answer == null) {
                throw new AssertionError("no answer from " + process);
            }
            return answer;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Opens the shared server and returns its URL. */
    String open(Path folder) {
        order("open " + folder);
        return url();
    }

    String url() {
        String answer = answer();
        if (!answer.startsWith("opened ")) {
            throw new AssertionError(answer);
        }
        return answer.substring("opened ".length());
    }

    void leave() {
        order("close");
        String answer = answer();
        if (!answer.equals("closed")) {
            throw new AssertionError(answer);
        }
    }

    /** kill -9 */
    void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** kill -15 */
    void terminate() {
        process.destroy();
        awaitEnd();
    }

    @Override
    public void close() {
        if (process.isAlive()) {
            kill();
        }
    }

    private void awaitEnd() {
        try {
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError(process + " does not end");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void listen() {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                answers.add(line);
            }
            answers.add("ended");
        } catch (IOException e) {
            answers.add("ended with " + e);
        }
    }

    public static void main(String[] args) throws IOException {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        AutoCloseable opened = () -> {};
        for (String order = in.readLine(); order != null; order = in.readLine()) {
            try {
                if (order.startsWith("open ")) {
                    SharedPostgres shared = SharedPostgres.open(Path.of(order.substring("open ".length())));
                    opened = shared;
                    out.println("opened " + shared.jdbcUrl());
                } else if (order.equals("throwaway")) {
                    PostgresServer server = PostgresServer.throwaway(Map.of());
                    opened = server;
                    out.println("opened " + server.dataDirectory());
                } else {
                    opened.close();
                    out.println("closed");
                }
            } catch (Exception e) {
                out.println("refused " + e.getMessage());
            }
        }
    }
}
