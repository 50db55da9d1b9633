package org.pgbaton.schedule;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Whether a due time that has come is run on time, or was missed.
 *
 * <p>It was missed if the run before was still going on at that time, or if it is longer ago than this. Some time must pass: a due time
 * that comes while one process takes over from another is not missed.
 */
record Punctuality(Duration atMost) {
    private static final Duration LEAST = Duration.ofMinutes(1);

    /** A takeover takes up to a lease, and a little more on a busy machine. */
    static Punctuality of(Duration lease) {
        Duration twice = lease.multipliedBy(2);
        return new Punctuality(twice.compareTo(LEAST) < 0 ? LEAST : twice);
    }

    boolean isOnTime(Instant due, Instant now, @Nullable Instant lastEnd) {
        boolean free = lastEnd == null || lastEnd.isBefore(due);
        return free && Duration.between(due, now).compareTo(atMost) <= 0;
    }
}
