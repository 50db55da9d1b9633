package org.pgbaton.server.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** The folder of a demo's PostgreSQL. */
final class DemoFolder {
    private DemoFolder() {}

    /** Tries again, because an initdb that Ctrl-C has reached may still be removing its files. */
    static void delete(Path folder) throws IOException {
        for (int attemptsLeft = 50; Files.exists(folder); attemptsLeft--) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            } catch (IOException | UncheckedIOException somebodyElseDeletes) {
                if (attemptsLeft == 0) {
                    throw somebodyElseDeletes;
                }
                Thread.interrupted(); // otherwise it would not wait
                LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
            }
        }
    }
}
