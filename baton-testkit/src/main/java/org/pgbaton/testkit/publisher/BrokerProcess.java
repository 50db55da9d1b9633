package org.pgbaton.testkit.publisher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A broker's server, with a folder of its own. It can be killed and started again, and ends with the JVM at the latest. Not thread-safe.
 */
public final class BrokerProcess implements AutoCloseable {
    private final String name;
    private final Path folder;
    private final ProcessBuilder command;
    private final Predicate<String> isUp;
    private final Duration patience;
    private final Runnable afterKill;
    private final Thread hook = new Thread(this::close);
    private Process process;

    /**
     * Starts it, and returns when it is up.
     *
     * @param name for errors
     * @param folder is deleted in the end
     * @param isUp whether the server is up, by all that it has printed so far
     * @param afterKill ends other processes that belong to it, before the folder is deleted
     */
    public BrokerProcess(
            String name,
            Path folder,
            ProcessBuilder command,
            Predicate<String> isUp,
            Duration patience,
            Runnable afterKill) {
        this.name = name;
        this.folder = folder;
        this.command = command;
        this.isUp = isUp;
        this.patience = patience;
        this.afterKill = afterKill;
        this.process = launch();
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private Process launch() {
        try {
            Path output = folder.resolve("out.txt");
            Files.deleteIfExists(output);
            Process started = command.redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            long end = System.nanoTime() + patience.toNanos();
            while (!isUp.test(Files.readString(output))) {
                if (!started.isAlive() || System.nanoTime() > end) {
                    throw new IllegalStateException(name + " did not start: " + Files.readString(output));
                }
                Thread.sleep(5);
            }
            return started;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException stop) {
            throw new IllegalStateException(stop);
        }
    }

    /** The server's own process; one of its children may be the process that answers. */
    public ProcessHandle handle() {
        return process.toHandle();
    }

    /** After it was killed or stopped. */
    public void restart() {
        process = launch();
    }

    /** SIGKILL, to it and its children. Returns when all are gone. */
    public void kill() throws InterruptedException {
        List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
        all.add(process.toHandle());
        all.forEach(ProcessHandle::destroyForcibly);
        process.waitFor();
        for (ProcessHandle each : all) {
            while (each.isAlive()) {
                Thread.sleep(5);
            }
        }
    }

    /** SIGTERM. Returns when it has ended. */
    public void stop() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(patience.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError(name + " did not stop");
        }
    }

    /** Kills it, and removes its folder. */
    @Override
    public void close() {
        try {
            kill();
            afterKill.run();
            try (Stream<Path> files = Files.walk(folder)) {
                files.sorted(Comparator.reverseOrder())
                        .forEach(each -> each.toFile().delete());
            }
            if (Thread.currentThread() != hook) {
                Runtime.getRuntime().removeShutdownHook(hook);
            }
        } catch (IOException | InterruptedException failure) {
            throw new IllegalStateException("What " + name + " has left could not be removed", failure);
        }
    }
}
