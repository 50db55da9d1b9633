package org.pgbaton.handling;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/** Counts what a member does. Thread-safe. */
public final class WorkCounters {
    private final LongAdder handled = new LongAdder();
    private final LongAdder batches = new LongAdder();
    private final LongAdder batchNanos = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder setAside = new LongAdder();
    private final LongAdder rebalances = new LongAdder();
    private final LongAdder fenced = new LongAdder();

    public void addHandled(int messages) {
        handled.add(messages);
    }

    public void addBatch(long nanos) {
        batches.increment();
        batchNanos.add(nanos);
    }

    public void addFailure() {
        failures.increment();
    }

    public void addSetAside(int keys) {
        setAside.add(keys);
    }

    public void addRebalance() {
        rebalances.increment();
    }

    public void addFenced() {
        fenced.increment();
    }

    public long handled() {
        return handled.sum();
    }

    public long batches() {
        return batches.sum();
    }

    public Duration batchTime() {
        return Duration.ofNanos(batchNanos.sum());
    }

    public long failures() {
        return failures.sum();
    }

    public long setAside() {
        return setAside.sum();
    }

    public long rebalances() {
        return rebalances.sum();
    }

    public long fenced() {
        return fenced.sum();
    }
}
