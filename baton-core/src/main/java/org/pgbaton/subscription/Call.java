package org.pgbaton.subscription;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;

/**
 * One call of a reaction, on a thread of its own, so that a slow one can be set aside and a stuck one given up. Thread-safe.
 */
final class Call {
    final List<Message> unit;
    private final CountDownLatch done = new CountDownLatch(1);
    private volatile @Nullable Throwable failure;
    private volatile @Nullable Thread thread;
    private volatile boolean cancelled;

    private Call(List<Message> unit) {
        this.unit = unit;
    }

    static Call start(Executor executor, Handling handling, List<Message> unit, Delivery delivery) {
        Call call = new Call(unit);
        executor.execute(() -> call.run(handling, delivery));
        return call;
    }

    private void run(Handling handling, Delivery delivery) {
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

    StackTraceElement[] stack() {
        Thread running = thread;
        return running == null ? new StackTraceElement[0] : running.getStackTrace();
    }
}
