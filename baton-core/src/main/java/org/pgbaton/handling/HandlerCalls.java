package org.pgbaton.handling;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Publisher;

/**
 * Calls the handler of one member, and knows which calls have not ended, whatever became of the lanes for which they were begun.
 * Thread-safe.
 */
public final class HandlerCalls {
    private final SubscriptionOptions options;
    private final LongSupplier nanos;
    /** Where reactions are called. Projections run on the worker's own thread, since transactions belong to threads. */
    private final Executor threads;

    private final TargetAnswers answers;
    private final RunningCalls running;
    private final Set<CallSequence> sequences = ConcurrentHashMap.newKeySet();
    private volatile boolean stopping;

    public HandlerCalls(SubscriptionOptions options, LongSupplier nanos, Executor threads, TargetAnswers answers) {
        this.options = options;
        this.nanos = nanos;
        this.threads = threads;
        this.answers = answers;
        this.running = new RunningCalls(options.isTotal());
    }

    /** A call that has not begun yet. */
    public Call prepare(List<Message> unit, CallOwner owner, int attempt) {
        return new Call(unit, owner, running, owner.delivery(options, attempt));
    }

    /**
     * Calls a reaction for one unit after the other, on a thread of its own.
     *
     * @param goesOn asked before each unit
     */
    public CallSequence call(List<Call> calls, Predicate<List<Message>> goesOn) {
        CallSequence sequence = new CallSequence(calls, goesOn, nanos);
        sequences.add(sequence);
        try {
            threads.execute(() -> {
                try {
                    sequence.run(options.handling());
                } finally {
                    sequences.remove(sequence);
                }
            });
        } catch (RuntimeException | Error refused) {
            sequences.remove(sequence);
            throw refused;
        }
        return sequence;
    }

    /** Hands a message to the publisher; returns before it has confirmed. */
    public void publish(Call call, Publisher publisher) {
        call.publish(publisher, nanos.getAsLong());
        call.whenDone(() -> answers.answered(call.failure() == null));
    }

    /** The call of this key that has not ended; null if there is none. */
    public @Nullable Call of(String key) {
        return running.of(key);
    }

    /** How many threads are at a reaction. */
    public int threadsInUse() {
        return sequences.size();
    }

    public boolean isCalling() {
        return !sequences.isEmpty() || !running.isEmpty();
    }

    /** No lane waits any longer for the call with this unit. */
    public void giveUp(List<Message> unit) {
        running.all().stream().filter(call -> call.unit() == unit).forEach(Call::giveUp);
    }

    /** From now on no unit is begun. */
    public void stop() {
        stopping = true;
    }

    public boolean isStopping() {
        return stopping;
    }

    public void interruptAll() {
        sequences.forEach(CallSequence::interrupt);
        running.all().forEach(Call::interrupt);
    }

    /** Reactions that are over their limit, each with its stack. */
    public List<String> overdue() {
        long now = nanos.getAsLong();
        return running.all().stream()
                .filter(call -> !call.isDone() && !options.handling().isProjection())
                .distinct()
                .filter(call -> now - call.since() > options.limit().toNanos())
                .map(call -> call.describe(now))
                .toList();
    }
}
