package org.pgbaton.server.notice;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Scalar;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * Limits how many notices this process sends within a time. A notice that comes too early is told how long to wait; that is no failure. Unused
 * quota carries over for one such time, so that several notices can be sent at once. Thread-safe.
 */
final class RateLimit {
    /** A number of notices per time. */
    record Rate(int count, Duration per) {
        @Override
        public String toString() {
            return count + "/" + (per.toSeconds() == 1 ? "s" : per.toSeconds() == 60 ? "m" : "h");
        }
    }

    static final Key<Rate> KEY = Key.optional(
            "rate-limit",
            Scalar.form("a rate like 10/s, 30/m or 100/h", "\\d{1,6}/[smh]", RateLimit::parse),
            "At most so many notices per second, minute or hour, from each process; more wait. Default: no limit.");

    private static @Nullable Rate parse(String text) {
        String[] parts = text.split("/");
        int count = Integer.parseInt(parts[0]);
        Duration per = Duration.ofSeconds(parts[1].equals("s") ? 1 : parts[1].equals("m") ? 60 : 3600);
        return count == 0 ? null : new Rate(count, per);
    }

    private final Rate rate;
    private final LongSupplier nanos;
    private final long start;
    private final double perNotice;
    /** The time of the next notice if all before it had been sent as early as allowed, in nanoseconds after the start. */
    private double nextAt;

    RateLimit(Rate rate, LongSupplier nanos) {
        this.rate = rate;
        this.nanos = nanos;
        this.start = nanos.getAsLong();
        this.perNotice = (double) rate.per.toNanos() / rate.count;
        this.nextAt = perNotice - rate.per.toNanos();
    }

    /** @throws HandlerException if it is too early */
    synchronized void take() {
        double now = nanos.getAsLong() - start;
        double earliest = Math.max(nextAt, now - rate.per.toNanos() + perNotice);
        if (earliest > now) {
            throw new HandlerException(
                    Verdict.PAUSE,
                    "The channel has sent as much as its rate-limit of " + rate + " allows.",
                    null,
                    Duration.ofNanos((long) (earliest - now) + 1_000_000));
        }
        nextAt = earliest + perNotice;
    }
}
