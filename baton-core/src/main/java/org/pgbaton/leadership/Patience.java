package org.pgbaton.leadership;

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
    boolean isOnce() {
        return atMost != null && atMost.isZero();
    }

    /** Nanoseconds left, given when waiting began. */
    long left(long start, long now) {
        return atMost == null ? Long.MAX_VALUE : atMost.toNanos() - (now - start);
    }

    @Nullable
    Backoff backoff() {
        return shortest == null || longest == null ? null : new Backoff(shortest, longest);
    }
}
