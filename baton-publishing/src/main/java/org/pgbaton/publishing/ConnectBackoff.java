package org.pgbaton.publishing;

import java.time.Duration;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.subscription.HandlerException;

/**
 * When to connect again after the broker could not be reached. The pauses double from 0.1 s to 2 s, and are short again after the broker
 * has answered. Not thread-safe.
 */
final class ConnectBackoff {
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofSeconds(2);

    private final LongSupplier nanos;
    private final DoubleSupplier random;
    private Duration pause = SHORTEST;
    private long nextTry;
    private @Nullable HandlerException refusal;

    /** @param random from 0 to 1, without 1 */
    ConnectBackoff(LongSupplier nanos, DoubleSupplier random) {
        this.nanos = nanos;
        this.random = random;
    }

    /** Why messages fail without another try to connect; null if it is time for one. */
    @Nullable
    HandlerException refusal() {
        HandlerException last = refusal;
        return last == null || nanos.getAsLong() - nextTry >= 0 ? null : last;
    }

    void refused(HandlerException why) {
        refusal = why;
        // Between half and all of the pause, so that many processes do not come back at the same moment.
        nextTry = nanos.getAsLong() + (long) (pause.toNanos() * (0.5 + random.getAsDouble() / 2));
        Duration doubled = pause.multipliedBy(2);
        pause = doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
    }

    void connected() {
        refusal = null;
    }

    void answered() {
        pause = SHORTEST;
    }

    /** The time until the next try. */
    Duration left() {
        return Duration.ofNanos(Math.max(0, nextTry - nanos.getAsLong()));
    }
}
