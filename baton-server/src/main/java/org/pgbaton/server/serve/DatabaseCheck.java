package org.pgbaton.server.serve;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.pgbaton.Baton;
import org.pgbaton.database.BatonException;

/**
 * Knows whether the database answers. A short query in the background finds out, so that requests for {@code /readyz} do not wait for the
 * database. A query that takes too long counts as no answer. One thread calls {@link #ask}; the rest is thread-safe.
 */
final class DatabaseCheck {
    private static final Duration LATE = Duration.ofSeconds(10);

    private final Baton baton;
    private final String log;
    private final LongSupplier nanos;
    private volatile boolean answered = true; // it was opened a moment ago
    private volatile long answeredAt;

    /** @param log an existing log */
    DatabaseCheck(Baton baton, String log, LongSupplier nanos) {
        this.baton = baton;
        this.log = log;
        this.nanos = nanos;
        this.answeredAt = nanos.getAsLong();
    }

    /** To be called about every second. */
    void ask() {
        try {
            baton.log(log);
            answeredAt = nanos.getAsLong();
            answered = true;
        } catch (BatonException noAnswer) {
            answered = false;
        }
    }

    boolean isReachable() {
        return answered && nanos.getAsLong() - answeredAt < LATE.toNanos();
    }
}
