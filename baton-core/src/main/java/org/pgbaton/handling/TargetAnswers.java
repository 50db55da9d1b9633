package org.pgbaton.handling;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * When a relay's target answered, and what follows from it: whether one message is slow, or the whole target is silent. Times are those of
 * the monotonic clock. Thread-safe.
 */
public final class TargetAnswers {
    /** A confirmation counts as recent for so many times as long as a slow key is waited for. */
    private static final int RECENT = 10;

    private final long slow;
    private final LongSupplier nanos;
    private volatile @Nullable Long confirmedAt;
    private volatile long answeredAt;
    private volatile long silentUntil;
    private volatile boolean away;

    /** @param slow how long a slow key is waited for */
    public TargetAnswers(Duration slow, LongSupplier nanos) {
        this.slow = slow.toNanos();
        this.nanos = nanos;
        this.answeredAt = nanos.getAsLong();
        this.silentUntil = answeredAt;
    }

    /** @param confirmed false if the target refused the message */
    public void answered(boolean confirmed) {
        long now = nanos.getAsLong();
        if (now - answeredAt > slow / 2) {
            silentUntil = now;
        }
        answeredAt = now;
        if (confirmed) {
            confirmedAt = now;
        }
    }

    /** Whether the target has answered nothing for half as long as a slow key is waited for. */
    public boolean isSilent() {
        return nanos.getAsLong() - answeredAt > slow / 2;
    }

    /** Whether the target has answered nothing since then. */
    public boolean isSilentSince(long then) {
        return answeredAt - then < 0;
    }

    /** When the last silence ended. Messages that were sent before get the time of a slow key from then on. */
    public long silentUntil() {
        return silentUntil;
    }

    /** Whether the target has confirmed anything lately: then it is not the target that is slow. */
    public boolean hasConfirmedLately() {
        Long at = confirmedAt;
        return at != null && nanos.getAsLong() - at < slow * RECENT;
    }

    /** Whether the target was away the last time. Then one message is sent first, and the others when it is confirmed. */
    public boolean wasAway() {
        return away;
    }

    public void setAway(boolean isAway) {
        away = isAway;
    }
}
