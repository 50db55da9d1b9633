package org.pgbaton.wal;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Notices that the server has sent nothing for a while although there is WAL to read. Not thread-safe. */
final class StallWatch {
    static final Duration LONG = Duration.ofSeconds(5);

    /** A server that has less to read is not behind. */
    private static final long SOMETHING = 1 << 20;

    private final LongSupplier nanos;
    private long received;
    private long movedAt;

    StallWatch(long received, LongSupplier nanos) {
        this.nanos = nanos;
        this.received = received;
        this.movedAt = nanos.getAsLong();
    }

    /**
     * Whether the server has read on since the last call, or has nothing to read.
     *
     * @param now how far the server has read for us
     */
    boolean isMoving(long now, long walEnd) {
        boolean isBehind = walEnd - now > SOMETHING;
        if (now == received && isBehind) {
            return false;
        }
        received = now;
        movedAt = nanos.getAsLong();
        return true;
    }

    /** Whether it has not moved for long. */
    boolean isStalled() {
        return nanos.getAsLong() - movedAt > LONG.toNanos();
    }
}
