package org.pgbaton.micrometer;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.subscription.SubscriptionStats;

/**
 * The sum of all parts that one process has, and had, in one target of a subscription. Counts never fall: when a part
 * is closed, its counts stay and the part itself is dropped. Thread-safe.
 */
final class Parts {
    private static final SubscriptionStats NOTHING = new SubscriptionStats(0, 0, Duration.ZERO, 0, 0, 0, 0, 0, 0, 0, 0);

    private final Set<Part> open = new LinkedHashSet<>();
    private SubscriptionStats closed = NOTHING;

    synchronized void add(Part part) {
        open.add(part);
    }

    synchronized boolean isRunning() {
        return open.stream().anyMatch(each -> each.state() == SubscriptionState.RUNNING);
    }

    /** Whether a part is suspended. Then this process does not know how far the log has grown. */
    synchronized boolean isSuspended() {
        return open.stream().anyMatch(each -> each.state() == SubscriptionState.SUSPENDED);
    }

    /** Whether a part does not do what it was told to do. */
    synchronized boolean isInTrouble() {
        return open.stream().anyMatch(each -> !each.isHealthy());
    }

    synchronized SubscriptionStats sum() {
        SubscriptionStats sum = NOTHING;
        Iterator<Part> parts = open.iterator();
        while (parts.hasNext()) {
            Part part = parts.next();
            boolean isClosed = part.state() == SubscriptionState.CLOSED; // before its counts, which are final then
            SubscriptionStats stats = part.stats();
            if (isClosed) {
                closed = counts(closed, stats);
                parts.remove();
            } else {
                sum = everything(sum, stats);
            }
        }
        return everything(sum, closed);
    }

    private static SubscriptionStats everything(SubscriptionStats a, SubscriptionStats b) {
        SubscriptionStats counts = counts(a, b);
        return new SubscriptionStats(
                counts.handled(),
                counts.batches(),
                counts.batchTime(),
                counts.failures(),
                counts.setAside(),
                counts.rebalances(),
                counts.fenced(),
                a.lanes() + b.lanes(),
                Math.max(a.behind(), b.behind()),
                a.keysAside() + b.keysAside(),
                a.keysParked() + b.keysParked());
    }

    /** The numbers that only grow. */
    private static SubscriptionStats counts(SubscriptionStats a, SubscriptionStats b) {
        return new SubscriptionStats(
                a.handled() + b.handled(),
                a.batches() + b.batches(),
                a.batchTime().plus(b.batchTime()),
                a.failures() + b.failures(),
                a.setAside() + b.setAside(),
                a.rebalances() + b.rebalances(),
                a.fenced() + b.fenced(),
                0,
                0,
                0,
                0);
    }
}
