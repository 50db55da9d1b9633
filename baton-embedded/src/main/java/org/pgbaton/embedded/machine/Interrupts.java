package org.pgbaton.embedded.machine;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Work that an interrupt must not break off half-way.
 *
 * <p>Java closes a file channel when an interrupted thread touches it, and with the channel go the file locks of the
 * process. Applications do close things in interrupted threads, so the interrupt is set aside and given back afterwards.
 */
public final class Interrupts {

    @FunctionalInterface
    public interface Work<T extends @Nullable Object> {
        T run() throws IOException;
    }

    @FunctionalInterface
    public interface Step {
        void run() throws IOException;
    }

    private Interrupts() {}

    public static void setAsideFor(Step step) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            step.run();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static <T extends @Nullable Object> T setAside(Work<T> work) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            return work.run();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A short pause between two looks at something that another process changes. */
    public static void pause(Duration duration) {
        boolean interrupted = Thread.interrupted();
        try {
            TimeUnit.NANOSECONDS.sleep(duration.toNanos());
        } catch (InterruptedException givenBackBelow) {
            interrupted = true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
