package org.pgbaton.kafka.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/** A limit for several steps together, on the monotonic clock. */
public final class Deadline {
    private final Duration limit;
    private final long end;

    private Deadline(Duration limit) {
        this.limit = limit;
        this.end = System.nanoTime() + limit.toNanos();
    }

    public static Deadline in(Duration limit) {
        return new Deadline(limit);
    }

    public boolean isPast() {
        return System.nanoTime() - end >= 0;
    }

    /** A millisecond at least: zero means something else to Kafka. */
    public Duration left() {
        return Duration.ofNanos(Math.max(1_000_000, end - System.nanoTime()));
    }

    public void check(String what) {
        if (isPast()) {
            throw isOver(what, null);
        }
    }

    public void pause(Duration time, String what) {
        check(what);
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new HandlerException(Verdict.OUTAGE, "Interrupted while " + what + ".", stop);
        }
    }

    public HandlerException isOver(String what, @Nullable Throwable cause) {
        return new HandlerException(
                Verdict.OUTAGE,
                "Kafka did not answer within " + limit.toMillis() / 1000.0 + " s, while " + what + ".",
                cause);
    }
}
