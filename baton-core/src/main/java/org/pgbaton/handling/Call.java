package org.pgbaton.handling;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.session.Failpoint;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.subscription.Verdict;

/**
 * One call of a handler. A reaction or a publisher is called on another thread than the one that waits for it, so that a slow call can be
 * set aside and a stuck one given up.
 *
 * <p>It begins only if its keys have no other {@linkplain RunningCalls call}; else it fails at once, and is to be tried later. Its outcome
 * counts only for the tenure in which it was begun: a later tenure waits for its end, and goes by what is stored.
 *
 * <p>Thread-safe.
 */
public final class Call {
    private static final Duration SOON = Duration.ofMillis(50);

    private final List<Message> unit;
    private final CallOwner owner;
    private final RunningCalls calls;
    private final Delivery delivery;
    private final CompletableFuture<Void> answered = new CompletableFuture<>();
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    /** Whether the lane waits for it. */
    private final AtomicBoolean counted = new AtomicBoolean();

    private volatile long since;
    private volatile boolean publishing;
    private volatile @Nullable Throwable failure;

    // Guarded by this, so that an interrupt never reaches the thread's next work.
    private @Nullable Thread thread;
    private boolean cancelled;

    Call(List<Message> unit, CallOwner owner, RunningCalls calls, Delivery delivery) {
        this.unit = unit;
        this.owner = owner;
        this.calls = calls;
        this.delivery = delivery;
    }

    /** A reaction, on this thread. */
    void run(Handling handling, long now) {
        since = now;
        if (!enter()) {
            done.complete(null);
            return;
        }
        try {
            runOn(Thread.currentThread());
            handling.handle(unit, delivery);
        } catch (Throwable theirs) {
            failure = theirs;
        } finally {
            end();
            leave();
        }
    }

    /**
     * Calls a projection, on this thread.
     *
     * @param guarded the connection as the handler sees it
     * @param watch by which others interrupt it when it takes too long
     * @throws UnitFailed if the handler failed, or was interrupted
     */
    public void apply(
            SubscriptionOptions options, Connection connection, Connection guarded, HandlerWatch watch, long now) {
        watch.handlerStarts(unit, connection, now);
        if (enter()) {
            try {
                options.handling().apply(unit, guarded);
            } catch (Throwable theirs) {
                failure = theirs;
            } finally {
                leave();
            }
        } else {
            done.complete(null);
        }
        if (watch.end()) {
            throw UnitFailed.tooLate(unit, failure, options);
        }
        if (failure != null) {
            throw UnitFailed.of(unit, failure, options);
        }
    }

    public List<Message> unit() {
        return unit;
    }

    /** The first message of the unit. */
    public Message first() {
        return unit.get(0);
    }

    /** The last message of the unit. */
    public Message last() {
        return unit.get(unit.size() - 1);
    }

    /** Whether it was begun for this lane, in the same tenure. */
    public boolean isFor(CallOwner lane) {
        return owner == lane;
    }

    boolean hasSameOwner(Call other) {
        return owner == other.owner;
    }

    /** Returns before it is done. */
    @SuppressWarnings("FutureReturnValueIgnored") // it is told to this call
    void publish(Publisher publisher, long now) {
        since = now;
        publishing = true;
        if (!enter()) {
            done.complete(null);
            return;
        }
        try {
            runOn(null);
            Failpoint.BEFORE_PUBLISH.pass();
            (unit.size() == 1 ? publisher.publish(unit.get(0), delivery) : publisher.publishInOrder(unit, delivery))
                    .whenComplete((nothing, thrown) -> published(thrown));
        } catch (Throwable theirs) {
            published(theirs);
        }
    }

    private void published(@Nullable Throwable thrown) {
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        failure = cause;
        try {
            Failpoint.AFTER_PUBLISH.pass();
        } finally {
            leave();
        }
    }

    private boolean enter() {
        if (!calls.enter(this)) {
            failure = new HandlerException(
                    Verdict.LATER, "an earlier call of this key has not ended yet, in this process", null, SOON);
            return false;
        }
        counted.set(true);
        owner.callBegan();
        return true;
    }

    private void leave() {
        answered.complete(null); // before others can take the key for one without a call
        calls.leave(this);
        giveUp();
        done.complete(null);
    }

    /** The lane does not wait for it any more: it is given back, although the handler has not returned. */
    public void giveUp() {
        if (counted.compareAndSet(true, false)) {
            owner.callEnded();
        }
    }

    private synchronized void runOn(@Nullable Thread mine) {
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
    public long since() {
        return since;
    }

    public boolean isDone() {
        return done.isDone();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for it
    public void whenDone(Runnable then) {
        done.thenRun(then);
    }

    /** Runs it when the outcome is known, and the key still counts as one with a call. */
    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for it
    public void whenAnswered(Runnable then) {
        answered.thenRun(then);
    }

    public boolean awaitEnd(Duration atMost) throws InterruptedException {
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
    public Throwable failure() {
        return failure;
    }

    /** What has had its effect, once that is known. A publisher has published what comes before the message that it failed with. */
    public List<Message> handled() {
        if (!answered.isDone()) {
            return List.of();
        }
        return failure == null ? unit : publishing ? unit.subList(0, troubledAt()) : List.of();
    }

    /**
     * Its failure, about those messages that have not had their effect.
     *
     * @throws NullPointerException if it has not failed
     */
    public UnitFailed failed(SubscriptionOptions options) {
        Throwable thrown = Objects.requireNonNull(failure, "it has not failed");
        int at = troubledAt();
        return UnitFailed.of(publishing ? unit.subList(at, at + 1) : unit, thrown, options);
    }

    private int troubledAt() {
        Message troubled = failure instanceof HandlerException theirs ? theirs.troubled() : null;
        return troubled == null ? 0 : Math.max(0, unit.indexOf(troubled));
    }

    /** The handler is told to end; whether it does is its own affair. */
    public synchronized void interrupt() {
        cancelled = true;
        if (thread != null) {
            thread.interrupt();
        }
    }

    public synchronized boolean isInterrupted() {
        return cancelled;
    }

    synchronized String describe(long now) {
        return HandlerWatch.describe(unit, thread, now - since);
    }
}
