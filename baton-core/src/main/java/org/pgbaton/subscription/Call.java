package org.pgbaton.subscription;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;

/**
 * One call of a reaction, on a thread of its own, so that a slow one can be set aside and a stuck one given up. Thread-safe.
 */
final class Call {
    final List<Message> unit;
    final long since;
    private final CountDownLatch done = new CountDownLatch(1);
    private volatile @Nullable Throwable failure;
    private volatile @Nullable Thread thread;
    private volatile boolean cancelled;

    Call(List<Message> unit, long since) {
        this.unit = unit;
        this.since = since;
    }

    void run(Handling handling, Delivery delivery) {
        thread = Thread.currentThread();
        try {
            if (!cancelled) {
                handling.handle(unit, delivery);
            }
        } catch (Throwable theirs) {
            failure = theirs;
        } finally {
            thread = null;
            done.countDown();
        }
    }

    boolean awaitEnd(Duration atMost) throws InterruptedException {
        return done.await(Math.max(0, atMost.toNanos()), TimeUnit.NANOSECONDS);
    }

    /** Null if it succeeded. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** The handler is told to end; whether it does is its own affair. */
    void interrupt() {
        cancelled = true;
        Thread running = thread;
        if (running != null) {
            running.interrupt();
        }
    }

    String describe(long now) {
        return Running.describe(unit, thread, now - since);
    }
}
