package org.pgbaton.chaos;

import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** How a {@link Fault} is brought about and undone. */
@FunctionalInterface
interface Strike {
    void on(World world, Random random) throws Exception;

    /** For how long it lasts; drawn from the seed. */
    static void pause(Random random, int fromMillis, int toMillis) {
        LockSupport.parkNanos((fromMillis + random.nextInt(Math.max(1, toMillis - fromMillis))) * 1_000_000L);
    }
}
