package org.pgbaton.dashboard.look;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.dashboard.http.RefusedException;
import org.pgbaton.database.BatonException;

/**
 * One look at the database for all viewers.
 *
 * <p>Guarantee: however many viewers there are, the database is looked at once a second at most, and seldom enough that looking takes a tenth of
 * one connection's time at most, though it never rests longer than half a minute. If nobody asks, nobody looks.
 *
 * <p>Protocol: whoever asks first after the last look is due takes the next one; others that wait for it get the same. A viewer who does not
 * wait gets the last one at once, unless there is none. A look that fails gives what was seen before, with the trouble;
 * the next comes after as long again.
 *
 * <p>Thread-safe.
 */
public final class Looks {
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final int SHARE = 10;
    private static final Duration LONGEST_REST = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final SnapshotReader reader;
    private final LongSupplier nanos;
    private final History history = new History();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition taken = lock.newCondition();
    private volatile @Nullable Snapshot latest;
    private boolean looking;
    private long dueAt;

    public Looks(Rows rows, LongSupplier nanos) {
        this.reader = new SnapshotReader(rows);
        this.nanos = nanos;
        this.dueAt = nanos.getAsLong();
    }

    /** What was seen before this moment. */
    public History history() {
        return history;
    }

    /** The last look, however old; nothing, with the number 0, if there was none. Asks no database. */
    public Snapshot latest() {
        Snapshot last = latest;
        return last == null ? Snapshot.nothing(0, Instant.now(), "Nobody has looked yet.") : last;
    }

    /**
     * A look that is about a second old at most, or the last one if the next is under way.
     *
     * @throws RefusedException if somebody takes the first look, and it takes too long
     */
    public Snapshot current() throws InterruptedException {
        Snapshot last = latest;
        if (last != null && (nanos.getAsLong() < dueAtNow() || isLooking())) {
            return last;
        }
        Snapshot next = after(last == null ? 0 : last.number(), PATIENCE);
        if (next != null) {
            return next;
        }
        if (last != null) {
            return last;
        }
        throw new RefusedException(503, "The database has not answered yet: try again in a moment.");
    }

    private long dueAtNow() {
        lock.lock();
        try {
            return dueAt;
        } finally {
            lock.unlock();
        }
    }

    private boolean isLooking() {
        lock.lock();
        try {
            return looking;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a look with a higher number, and takes it if nobody else does. */
    public Snapshot after(long number) throws InterruptedException {
        while (true) {
            Snapshot next = after(number, LONGEST_REST);
            if (next != null) {
                return next;
            }
        }
    }

    /** Null if nobody has looked within that time. */
    private @Nullable Snapshot after(long number, Duration atMost) throws InterruptedException {
        long deadline = nanos.getAsLong() + atMost.toNanos();
        lock.lockInterruptibly();
        try {
            while (true) {
                Snapshot last = latest;
                if (last != null && last.number() > number) {
                    return last;
                }
                long at = nanos.getAsLong();
                long wait = dueAt - at;
                if (!looking && (last == null || wait <= 0)) {
                    break;
                }
                if (deadline - at <= 0) {
                    return null;
                }
                taken.await(Math.min(deadline - at, looking ? PAUSE.toNanos() : wait), TimeUnit.NANOSECONDS);
            }
            looking = true;
        } finally {
            lock.unlock();
        }
        return take();
    }

    private Snapshot take() {
        long begin = nanos.getAsLong();
        Snapshot last = latest;
        long number = last == null ? 1 : last.number() + 1;
        Snapshot next = null;
        try {
            next = look(last, number);
            return next;
        } finally {
            lock.lock();
            try {
                boolean failed = next == null || next.trouble() != null;
                dueAt = due(begin, nanos.getAsLong(), failed);
                looking = false;
                if (next != null) {
                    history.add(next);
                    latest = next;
                }
                taken.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** After a network has failed a look may have waited long for nothing: that was no load. */
    private static long due(long begin, long end, boolean failed) {
        long cost = end - begin;
        long rest = Math.min(failed ? cost : (SHARE - 1) * cost, LONGEST_REST.toNanos());
        return Math.max(begin + PAUSE.toNanos(), end + rest);
    }

    private Snapshot look(@Nullable Snapshot last, long number) {
        try {
            return reader.read(number);
        } catch (BatonException away) {
            String why = String.valueOf(away.getMessage());
            return last == null ? Snapshot.nothing(number, Instant.now(), why) : last.withTrouble(number, why);
        }
    }
}
