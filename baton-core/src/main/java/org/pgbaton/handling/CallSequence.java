package org.pgbaton.handling;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;

/**
 * Calls of a reaction, one after the other, on one thread: handing over to another thread costs once, and not for every message. It ends
 * at the first failure. Its caller can go on without a call that takes too long; then that call is the last of the sequence.
 * Thread-safe.
 */
public final class CallSequence {
    private final List<Call> calls;
    private final Predicate<List<Message>> goesOn;
    private final LongSupplier nanos;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    // Guarded by this.
    private int begun;
    private boolean left;

    /** @param goesOn asked before each unit */
    CallSequence(List<Call> calls, Predicate<List<Message>> goesOn, LongSupplier nanos) {
        this.calls = calls;
        this.goesOn = goesOn;
        this.nanos = nanos;
    }

    void run(Handling handling) {
        try {
            Call call = next();
            while (call != null) {
                call.run(handling, nanos.getAsLong());
                call = call.failure() == null ? next() : null;
            }
        } finally {
            ended.complete(null);
        }
    }

    private synchronized @Nullable Call next() {
        if (left || begun == calls.size() || !goesOn.test(calls.get(begun).unit())) {
            return null;
        }
        return calls.get(begun++);
    }

    boolean hasEnded() {
        return ended.isDone();
    }

    /** How many calls were begun; more are not, once it has ended or has been left. */
    public synchronized int begun() {
        return begun;
    }

    /** The call that is, or was, the last; null if none was begun. */
    public synchronized @Nullable Call last() {
        return begun == 0 ? null : calls.get(begun - 1);
    }

    /** @return the call that has taken longer than this, and has not ended yet; null if the turn has ended */
    @Nullable
    public Call await(Duration patience) throws InterruptedException {
        long wait = patience.toNanos();
        while (!awaitEnd(wait)) {
            synchronized (this) {
                Call current = last();
                wait = patience.toNanos() - (current == null ? 0 : nanos.getAsLong() - current.since());
                if (current != null && !current.isDone() && wait <= 0) {
                    left = true;
                    return current;
                }
                wait = Math.max(wait, 1_000_000); // between two calls
            }
        }
        return null;
    }

    private boolean awaitEnd(long atMost) throws InterruptedException {
        try {
            ended.get(atMost, TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException notYet) {
            return false;
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    synchronized void interrupt() {
        left = true;
        Call current = last();
        if (current != null) {
            current.interrupt();
        }
    }
}
