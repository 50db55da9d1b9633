package org.pgbaton.subscription;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;

/**
 * One call of a reaction, on a thread of its own, so that a slow one can be set aside and a stuck one given up. Thread-safe.
 */
final class Call {
    final List<Message> unit;
    final long since;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private volatile @Nullable Throwable failure;

    // Guarded by this, so that an interrupt never hits what the thread does afterwards.
    private @Nullable Thread thread;
    private boolean cancelled;

    Call(List<Message> unit, long since) {
        this.unit = unit;
        this.since = since;
    }

    void run(Handling handling, Delivery delivery) {
        try {
            begin();
            handling.handle(unit, delivery);
        } catch (Throwable theirs) {
            failure = theirs;
        } finally {
            end();
            done.complete(null);
        }
    }

    private synchronized void begin() {
        if (cancelled) {
            throw new CancellationException("it was given up before it began");
        }
        thread = Thread.currentThread();
    }

    private synchronized void end() {
        thread = null;
        if (cancelled) {
            Thread.interrupted(); // it was meant for the handler, which is over
        }
    }

    boolean isDone() {
        return done.isDone();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for it
    void whenDone(Runnable then) {
        done.thenRun(then);
    }

    boolean awaitEnd(Duration atMost) throws InterruptedException {
        try {
            done.get(Math.max(0, atMost.toNanos()), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException notYet) {
            return false;
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Null if it succeeded. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** The handler is told to end; whether it does is its own affair. */
    synchronized void interrupt() {
        cancelled = true;
        if (thread != null) {
            thread.interrupt();
        }
    }

    synchronized String describe(long now) {
        return Running.describe(unit, thread, now - since);
    }
}
