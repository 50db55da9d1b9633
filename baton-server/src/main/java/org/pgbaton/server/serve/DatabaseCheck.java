package org.pgbaton.server.serve;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.pgbaton.Baton;
import org.pgbaton.database.BatonException;

/**
 * Whether the database answers, found out in the background by a short question, so that nobody who asks waits for it. A question that is
 * not answered for long counts as no answer. One thread calls {@link #ask}; the rest is thread-safe.
 */
final class DatabaseCheck {
    private static final Duration LATE = Duration.ofSeconds(10);

    private final Baton baton;
    private final String log;
    private final LongSupplier nanos;
    private volatile boolean answered = true; // it was opened a moment ago
    private volatile long answeredAt;

    /** @param log one that exists */
    DatabaseCheck(Baton baton, String log, LongSupplier nanos) {
        this.baton = baton;
        this.log = log;
        this.nanos = nanos;
        this.answeredAt = nanos.getAsLong();
    }

    /** To be called every second or so. */
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
