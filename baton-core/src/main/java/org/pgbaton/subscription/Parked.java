package org.pgbaton.subscription;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A key that is set aside, as its lane's owner keeps it in mind. Guarded by the member's board. */
final class Parked {
    final String key;
    /** Parked for good: waits for an operator. */
    boolean parked;

    int attempts;

    /** Why the last attempt ended, if the whole target was away; not guarded. */
    volatile @Nullable String outage;

    /** On the monotonic clock. */
    long dueAt;

    boolean draining;
    /** A call of the handler that was slow and has not been waited for. */
    @Nullable
    Call inFlight;

    /** A slow call is waited for when it is done, or over its limit. */
    long dueAt(Duration limit) {
        Call call = inFlight;
        return call == null || call.isDone() ? dueAt : call.since() + limit.toNanos();
    }

    Parked(String key, boolean parked, int attempts, long dueAt) {
        this.key = key;
        this.parked = parked;
        this.attempts = attempts;
        this.dueAt = dueAt;
    }
}
