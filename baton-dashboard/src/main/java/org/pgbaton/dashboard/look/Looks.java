package org.pgbaton.dashboard.look;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;

/**
 * One look at the database for all viewers.
 *
 * <p>Guarantee: however many viewers there are, the database is looked at once a second at most, and seldom enough that looking takes a tenth of
 * one connection's time at most. If nobody asks, nobody looks.
 *
 * <p>Protocol: whoever asks first after the last look is due takes the next one; others that wait for it get the same. A viewer who does not
 * wait gets the last one at once, unless there is none. A look that fails gives what was seen before, with the trouble.
 *
 * <p>Thread-safe.
 */
public final class Looks {
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final int SHARE = 10;

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

    /** A look that is about a second old at most, or the last one if the next is under way. */
    public Snapshot current() throws InterruptedException {
        Snapshot last = latest;
        if (last != null && (nanos.getAsLong() < dueAtNow() || isLooking())) {
            return last;
        }
        return after(last == null ? 0 : last.number());
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
        lock.lockInterruptibly();
        try {
            while (true) {
                Snapshot last = latest;
                if (last != null && last.number() > number) {
                    return last;
                }
                long wait = dueAt - nanos.getAsLong();
                if (!looking && (last == null || wait <= 0)) {
                    break;
                }
                taken.await(looking ? PAUSE.toNanos() : wait, TimeUnit.NANOSECONDS);
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
                long cost = nanos.getAsLong() - begin;
                dueAt = begin + Math.max(PAUSE.toNanos(), SHARE * cost);
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

    private Snapshot look(@Nullable Snapshot last, long number) {
        try {
            return reader.read(number);
        } catch (BatonException away) {
            String why = String.valueOf(away.getMessage());
            return last == null ? Snapshot.nothing(Instant.now(), why) : last.withTrouble(number, why);
        }
    }
}
