package org.pgbaton.chaos.fault;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Whether a number has stayed the same for half a second. Not thread-safe. */
final class Settled {
    private static final long NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Callable<Long> number;
    private long last = Long.MIN_VALUE;
    private long since;

    Settled(Callable<Long> number) {
        this.number = number;
    }

    boolean isSettled() throws Exception {
        long now = number.call();
        if (now != last) {
            last = now;
            since = System.nanoTime();
        }
        return System.nanoTime() - since > NANOS;
    }
}
