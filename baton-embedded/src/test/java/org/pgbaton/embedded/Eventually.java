package org.pgbaton.embedded;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.pgbaton.embedded.machine.Interrupts;

/** Waits for a condition that another process will bring about. */
final class Eventually {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private Eventually() {}

    static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited " + LIMIT.toSeconds() + " s in vain until " + what);
            }
            Interrupts.pause(Duration.ofMillis(5));
        }
    }
}
