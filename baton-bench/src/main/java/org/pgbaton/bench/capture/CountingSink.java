package org.pgbaton.bench.capture;

import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.pgbaton.bench.Arrivals;

/** A consumer that only looks at the number of each change. */
final class CountingSink implements BiConsumer<String, String>, Runnable, LongSupplier {
    private final Arrivals arrivals;

    CountingSink(Arrivals arrivals) {
        this.arrivals = arrivals;
    }

    @Override
    public void accept(String key, String payload) {
        arrivals.add(Orders.numberIn(payload), System.nanoTime());
    }

    @Override
    public void run() {
        // Nothing is buffered.
    }

    @Override
    public long getAsLong() {
        return arrivals.arrived();
    }
}
