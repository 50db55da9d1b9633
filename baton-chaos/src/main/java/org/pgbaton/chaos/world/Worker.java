package org.pgbaton.chaos.world;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.pgbaton.chaos.device.FalseTime;
import org.pgbaton.chaos.history.History;
import org.pgbaton.chaos.worker.WorkerProgram;
import org.pgbaton.testkit.JavaProcess;

/** A process of Baton, to be killed, frozen, ended and asked. */
public final class Worker implements AutoCloseable {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Duration LEFT = Duration.ofSeconds(10);

    /** @param kilobytes of its heap, after a collection */
    public record Measure(int threads, long kilobytes) {}

    private final String name;
    private final JavaProcess process;
    /** Whether another round can use the process afterwards. */
    private final boolean isReusable;

    private Worker(String name, JavaProcess process, boolean isReusable) {
        this.name = name;
        this.process = process;
        this.isReusable = isReusable;
    }

    /** Starts in a process that may have served an earlier round. */
    static Worker start(IdleProcesses idle, String url, String name, List<String> parts) throws IOException {
        List<String> words = new ArrayList<>(List.of(WorkerProgram.OPEN, url, name));
        words.addAll(parts);
        JavaProcess process = idle.take();
        process.say(String.join("\t", words));
        return new Worker(name, process, true);
    }

    /**
     * Starts in a new process.
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

    public void awaitRunning() throws InterruptedException {
        process.await("RUNNING", SOON);
    }

    /** What it says of itself: {@code well}, or what troubles it. */
    public String health() throws IOException, InterruptedException {
        process.say("health");
        return process.await("HEALTH ", SOON).text().substring("HEALTH ".length());
    }

    public boolean saysItIsWell() throws IOException, InterruptedException {
        return health().equals(History.Claim.WELL);
    }

    public Measure measure() throws IOException, InterruptedException {
        process.say("measure");
        String[] answer = process.await("MEASURE", SOON).text().split(" ", -1);
        return new Measure(Integer.parseInt(answer[1]), Long.parseLong(answer[2]));
    }

    public void fillTheHeap() throws IOException, InterruptedException {
        process.say("fill the heap");
        process.await("FULL", SOON);
    }

    public void say(String line) throws IOException {
        process.say(line);
    }

    public String name() {
        return name;
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public void kill() throws InterruptedException {
        process.kill();
    }

    public void freeze() throws InterruptedException {
        process.freeze();
    }

    public void thaw() {
        process.thaw();
    }

    /** Ends in good order. */
    public void end() throws IOException, InterruptedException {
        process.endInput();
        process.awaitExit(SOON);
    }

    /** Begins to end, in good order. */
    public void endSoon() throws IOException {
        process.endInput();
    }

    /** Ends its work, and leaves the process to the next round if that succeeds. */
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
