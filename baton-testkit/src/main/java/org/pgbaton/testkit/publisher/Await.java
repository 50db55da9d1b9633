package org.pgbaton.testkit.publisher;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Waits for a condition, and fails if it does not come true in time. */
final class Await {
    private Await() {}

    static void until(String what, Duration atMost, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + atMost.toNanos();
        while (!condition.call()) {
            assertTrue(System.nanoTime() < end, "waited in vain for " + what);
            Thread.sleep(10);
        }
    }
}
