package org.pgbaton.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.pgbaton.testkit.JavaProcess;

/** A process of Baton, to be killed, frozen and ended. */
final class Worker implements AutoCloseable {
    private static final Duration SOON = Duration.ofSeconds(60);

    private final String name;
    private final JavaProcess process;

    private Worker(String name, JavaProcess process) {
        this.name = name;
        this.process = process;
    }

    static Worker start(String name, String url, List<String> parts, String endpoint) {
        return new Worker(name, JavaProcess.start(WorkerProgram.class, url, name, String.join(",", parts), endpoint));
    }

    void awaitRunning() throws InterruptedException {
        process.await("RUNNING", SOON);
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

    void kill() throws InterruptedException {
        process.kill();
    }

    void freeze() throws InterruptedException {
        process.freeze();
    }

    void thaw() {
        process.thaw();
    }

    /** In good order. */
    void end() throws IOException, InterruptedException {
        process.endInput();
        process.awaitExit(SOON);
    }

    @Override
    public void close() {
        process.close();
    }
}
