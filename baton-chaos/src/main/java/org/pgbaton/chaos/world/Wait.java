package org.pgbaton.chaos.world;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Waiting in a round: until something is true, or for a time that is drawn from the seed. */
public final class Wait {
    public static final Duration SOON = Duration.ofSeconds(30);

    private static final long BETWEEN_LOOKS_NANOS = 20_000_000;

    private Wait() {}

    /** @return how long it took; null if it did not come true in time */
    public static @Nullable Duration until(Duration atMost, Callable<Boolean> condition) throws InterruptedException {
        long begun = System.nanoTime();
        while (true) {
            try {
                if (condition.call()) {
                    return Duration.ofNanos(System.nanoTime() - begun);
                }
            } catch (InterruptedException told) {
                throw told;
            } catch (Exception notNow) {
                // A server that restarts refuses. It is asked again.
            }
            if (System.nanoTime() - begun > atMost.toNanos()) {
                return null;
            }
            LockSupport.parkNanos(BETWEEN_LOOKS_NANOS);
        }
    }

    /** Draws one number. */
    public static void between(Random random, int fromMillis, int toMillis) {
        LockSupport.parkNanos((fromMillis + random.nextInt(Math.max(1, toMillis - fromMillis))) * 1_000_000L);
    }
}
