package org.pgbaton.subscription;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.LogTable;

/** A subscription as the application wants it. Validated by {@link SubscriptionBuilder}. */
record Options(
        String name,
        String target,
        LogTable log,
        Order order,
        Start start,
        List<String> types,
        @Nullable String keyPrefix,
        int batch,
        int workers,
        @Nullable Executor executor,
        InstanceMode mode,
        Duration limit,
        Duration slow,
        int attempts,
        Duration shortestPause,
        Duration longestPause,
        @Nullable Transactions transactions,
        Function<Throwable, Verdict> errors,
        Handling handling) {

    boolean isTotal() {
        return order == Order.TOTAL;
    }

    /** The pause after so many attempts, doubling, with some jitter so that keys that failed together do not try together. */
    Duration pauseAfter(int attempts) {
        double doubled = (double) shortestPause.toMillis() * Math.pow(2, Math.min(40, Math.max(0, attempts - 1)));
        double millis = Math.min(doubled, (double) longestPause.toMillis());
        return Duration.ofMillis(Math.max(1, (long) (millis * (0.5 + Math.random() / 2))));
    }

    @Override
    public String toString() {
        return "subscription '" + name + (target.isEmpty() ? "'" : "', target '" + target + "'");
    }
}
