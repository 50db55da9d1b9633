package org.pgbaton.work;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;

/**
 * How many messages a batch reads. Each batch costs something by itself: a read, a close, a flush. So while there is a backlog and whole
 * batches are done quickly, the next ones are larger; when they take long, or something fails, they become smaller again. A batch that
 * found less than it asked for says nothing, so without a backlog nothing changes. Thread-safe.
 */
final class BatchSize {
    /** A whole batch that was faster than this may be twice as large: it still ends before anybody waits for it. */
    static final Duration QUICK = Duration.ofMillis(100);
    /** Who takes a lane over, or gets one back, waits for the batch that runs. */
    static final Duration SLOW = Duration.ofMillis(400);

    private final int least;
    private final int most;

    @GuardedBy("this")
    private int now;

    BatchSize(int least, int most) {
        this.least = least;
        this.most = most;
        this.now = least;
    }

    /**
     * The reader stops when a batch is heavy enough, so the usual number is always asked for.
     *
     * @param affordable so many messages would certainly not be too heavy
     */
    synchronized int next(long affordable) {
        return (int) Math.max(least, Math.min(now, affordable));
    }

    /** @param messages that it had, however many were handled */
    synchronized void took(int messages, Duration length) {
        if (length.compareTo(SLOW) > 0) {
            now = Math.max(least, now / 2);
        } else if (messages >= now && length.compareTo(QUICK) < 0) {
            now = Math.min(most, now * 2);
        }
    }

    /** Something failed: what is done again should be little. */
    synchronized void reset() {
        now = least;
    }
}
