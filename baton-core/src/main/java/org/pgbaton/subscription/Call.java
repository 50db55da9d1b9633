package org.pgbaton.subscription;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;

/**
 * One call of a reaction or a publisher: not on the thread of whoever waits for it, so that a slow one can be set aside and a stuck one
 * given up. Thread-safe.
 */
final class Call {
    final List<Message> unit;
    private final Delivery delivery;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private volatile long since;
    private volatile @Nullable Throwable failure;

    // Guarded by this, so that an interrupt never hits what the thread does afterwards.
    private @Nullable Thread thread;
    private boolean cancelled;

    Call(List<Message> unit, Delivery delivery) {
        this.unit = unit;
        this.delivery = delivery;
    }

    /** On this thread. */
    void run(Handling handling, long now) {
        since = now;
        try {
            begin(Thread.currentThread());
            handling.handle(unit, delivery);
        } catch (Throwable theirs) {
            failure = theirs;
        } finally {
            end();
            done.complete(null);
        }
    }

    /** Returns before it is done. */
    @SuppressWarnings("FutureReturnValueIgnored") // it is told to this call
    void publish(Publisher publisher, long now) {
        since = now;
        try {
            begin(null);
            publisher.publish(unit.get(0), delivery).whenComplete((nothing, thrown) -> published(thrown));
        } catch (Throwable theirs) {
            published(theirs);
        }
    }

    private void published(@Nullable Throwable thrown) {
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        failure = cause;
        done.complete(null);
    }

    private synchronized void begin(@Nullable Thread mine) {
        if (cancelled) {
            throw new CancellationException("it was given up before it began");
        }
        thread = mine;
    }

    private synchronized void end() {
        thread = null;
        if (cancelled) {
            Thread.interrupted(); // it was meant for the handler, which is over
        }
    }

    /** For whoever wants to know before it is called. */
    void beginsAt(long now) {
        since = now;
    }

    /** When it began, on the monotonic clock. */
    long since() {
        return since;
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
