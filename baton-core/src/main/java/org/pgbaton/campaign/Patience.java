package org.pgbaton.campaign;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.pgbaton.session.Backoff;

/**
 * How long a campaign waits, and how.
 *
 * @param atMost null: for ever; zero: not at all
 * @param shortest with {@code longest}: give the connection back between two tries; null: stay in the queue
 */
record Patience(
        @Nullable Duration atMost,
        @Nullable Duration shortest,
        @Nullable Duration longest) {
    /** Longer than anybody waits, and short enough to be counted in nanoseconds. */
    private static final Duration CENTURY = Duration.ofDays(36_500);

    boolean isOnce() {
        return atMost != null && atMost.isZero();
    }

    /** Nanoseconds left, given when waiting began. */
    long left(long start, long now) {
        if (atMost == null || atMost.compareTo(CENTURY) > 0) {
            return Long.MAX_VALUE;
        }
        return atMost.toNanos() - (now - start);
    }

    @Nullable
    Backoff backoff() {
        return shortest == null || longest == null ? null : new Backoff(shortest, longest);
    }
}
