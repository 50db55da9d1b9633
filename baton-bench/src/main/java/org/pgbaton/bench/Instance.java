package org.pgbaton.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/** One process of a contender. */
final class Instance {
    private final String name;
    private final Process process;
    private final CountDownLatch ready = new CountDownLatch(1);

    /** @param leading is called with the time at which the process says that it leads */
    Instance(String name, List<String> command, BiConsumer<Instance, Long> leading) throws IOException {
        this.name = name;
        this.process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        Thread reader = new Thread(() -> read(leading), "reader-" + name);
        reader.setDaemon(true);
        reader.start();
    }

    private void read(BiConsumer<Instance, Long> leading) {
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ");
                if (words[0].equals("READY")) {
                    ready.countDown();
                } else if (words[0].equals("LEADING")) {
                    // All JVMs of a machine read the same monotonic clock.
                    leading.accept(this, Long.parseLong(words[2]));
                }
            }
        } catch (IOException killed) {
            ready.countDown();
        }
    }

    String name() {
        return name;
    }

    void awaitReady() throws InterruptedException {
        if (!ready.await(60, TimeUnit.SECONDS) || !process.isAlive()) {
            throw new IllegalStateException(name + " did not start");
        }
    }

    /** SIGTERM. */
    void terminate() {
        process.destroy();
    }

    /** SIGSTOP. */
    void freeze() throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-STOP", Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    void kill() {
        process.destroyForcibly().onExit().join();
    }
}
