package org.pgbaton.server.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import org.pgbaton.leadership.LeadershipState;

/** A worker process, seen from the demo. Its reports go to a queue, stamped on arrival. */
final class Worker {
    /** @param at {@link System#nanoTime} when it arrived */
    record Report(Worker from, LeadershipState state, long epoch, long at) {}

    private final String name;
    private final Process process;
    private final CuttableLink link;

    private Worker(String name, Process process, CuttableLink link) {
        this.name = name;
        this.process = process;
        this.link = link;
    }

    static Worker start(String name, String url, String schema, List<String> options, BlockingQueue<Report> reports)
            throws IOException {
        CuttableLink link = CuttableLink.to(url);
        // Ctrl-C in a terminal reaches the workers, too, and they are not to die before the demo says so.
        List<String> command = new ArrayList<>(List.of("sh", "-c", "trap '' INT; exec \"$@\"", "sh"));
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m", "-Xshare:auto", "-cp"));
        command.add(System.getProperty("java.class.path"));
        command.addAll(List.of("org.pgbaton.server.Main", "demo-worker", link.url(), name, "--schema", schema));
        command.addAll(options);
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("BATON_LOG_LEVEL", "OFF");
        Worker worker = new Worker(name, builder.start(), link);
        Thread reader = new Thread(() -> worker.read(reports), "reader-" + name);
        reader.setDaemon(true);
        reader.start();
        return worker;
    }

    private void read(BlockingQueue<Report> reports) {
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                long now = System.nanoTime();
                String[] words = line.split(" ");
                reports.add(new Report(this, LeadershipState.valueOf(words[0]), Long.parseLong(words[1]), now));
            }
        } catch (IOException killed) {
            // It says nothing any more.
        }
    }

    String name() {
        return name;
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Its way to the database. */
    CuttableLink link() {
        return link;
    }

    /** @param signal STOP or CONT */
    void signal(String signal) {
        try {
            new ProcessBuilder("kill", "-" + signal, Long.toString(pid()))
                    .start()
                    .onExit()
                    .join();
        } catch (IOException noKill) {
            throw new UncheckedIOException(noKill);
        }
    }

    /** {@code kill -9}; returns when it is dead. */
    void kill() {
        process.destroyForcibly().onExit().join();
        link.close();
    }
}
