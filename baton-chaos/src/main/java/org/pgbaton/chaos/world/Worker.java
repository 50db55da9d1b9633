package org.pgbaton.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.pgbaton.chaos.worker.WorkerProgram;
import org.pgbaton.testkit.JavaProcess;

/** A process of Baton, to be killed, frozen, ended and asked. */
final class Worker implements AutoCloseable {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Duration LEFT = Duration.ofSeconds(10);

    /** @param kilobytes of its heap, after a collection */
    record Measure(int threads, long kilobytes) {}

    private final String name;
    private final JavaProcess process;
    /** Whether it can do something else when it has ended what it does. */
    private final boolean isReusable;

    private Worker(String name, JavaProcess process, boolean isReusable) {
        this.name = name;
        this.process = process;
        this.isReusable = isReusable;
    }

    /** In a process that may have done something else before. */
    static Worker start(IdleProcesses idle, String url, String name, List<String> parts) throws IOException {
        List<String> words = new ArrayList<>(List.of(WorkerProgram.OPEN, url, name));
        words.addAll(parts);
        JavaProcess process = idle.take();
        process.say(String.join("\t", words));
        return new Worker(name, process, true);
    }

    /**
     * In a process of its own.
     *
     * @param prefix a command that runs it; see {@link FalseTime}
     * @param parts what it does, each with the address of its target
     */
    static Worker start(List<String> prefix, String url, String name, List<String> parts) {
        List<String> arguments = new ArrayList<>(List.of(url, name));
        arguments.addAll(parts);
        return new Worker(
                name, JavaProcess.start(prefix, WorkerProgram.class, arguments.toArray(String[]::new)), false);
    }

    void awaitRunning() throws InterruptedException {
        process.await("RUNNING", SOON);
    }

    /** What it believes of itself: {@code well}, or what troubles it. */
    String health() throws IOException, InterruptedException {
        process.say("health");
        return process.await("HEALTH ", SOON).text().substring("HEALTH ".length());
    }

    boolean saysItIsWell() throws IOException, InterruptedException {
        return health().equals(History.Claim.WELL);
    }

    Measure measure() throws IOException, InterruptedException {
        process.say("measure");
        String[] answer = process.await("MEASURE", SOON).text().split(" ", -1);
        return new Measure(Integer.parseInt(answer[1]), Long.parseLong(answer[2]));
    }

    void fillTheHeap() throws IOException, InterruptedException {
        process.say("fill the heap");
        process.await("FULL", SOON);
    }

    void say(String line) throws IOException {
        process.say(line);
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

    /** Begins to end, in good order. */
    void endSoon() throws IOException {
        process.endInput();
    }

    /** Ends what it does, and leaves the process to somebody else if that succeeds. */
    void leave(IdleProcesses idle) throws InterruptedException {
        try {
            if (isReusable && process.isAlive()) {
                process.say(WorkerProgram.CLOSE);
                process.await(WorkerProgram.CLOSED, LEFT);
                idle.giveBack(process);
                return;
            }
        } catch (IOException | AssertionError useless) {
            // It is ended below.
        }
        process.close();
    }

    @Override
    public void close() {
        process.close();
    }
}
