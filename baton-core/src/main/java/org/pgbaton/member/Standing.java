package org.pgbaton.member;

import java.time.Duration;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.pgbaton.hub.Hub;
import org.pgbaton.session.Lease;
import org.pgbaton.subscription.SubscriptionState;

/**
 * Whether a member that is meant to run really does. It does while it owns lanes and the hub sees what is new in them. Without the
 * database, or without lanes that should be its own, it is suspended: within a lease after the fact. A shorter gap is
 * normal: a change of connection, or lanes on their way from one member to another.
 *
 * <p>Asks nobody but this process. Thread-safe; to be looked at about once a second.
 */
final class Standing {
    private final IntSupplier ownedLanes;
    private final IntSupplier share;
    private final Hub hub;
    private final Duration lease;
    private final LongSupplier nanos;

    // Guarded by this.
    private boolean hasBegun;
    private long wellAt;

    /**
     * @param ownedLanes how many lanes are certainly ours
     * @param share how many should be ours; -1 while nobody knows
     */
    Standing(IntSupplier ownedLanes, IntSupplier share, Hub hub, Lease lease, LongSupplier nanos) {
        this.ownedLanes = ownedLanes;
        this.share = share;
        this.hub = hub;
        this.lease = lease.length();
        this.nanos = nanos;
        this.wellAt = nanos.getAsLong();
    }

    /** One of STARTING, RUNNING, STANDBY and SUSPENDED. */
    SubscriptionState now() {
        int lanes = ownedLanes.getAsInt();
        // Both connections are gone: that is the database. One alone comes back, or is missed for a lease.
        boolean seeing = hub.sinceSeen().compareTo(lease) < 0 && (hub.isSeeing() || lanes > 0);
        return standing(seeing, lanes, share.getAsInt() == 0);
    }

    private synchronized SubscriptionState standing(boolean seeing, int lanes, boolean needless) {
        long now = nanos.getAsLong();
        if (seeing && (lanes > 0 || needless)) {
            hasBegun = true;
            wellAt = now;
            return lanes > 0 ? SubscriptionState.RUNNING : SubscriptionState.STANDBY;
        }
        if (now - wellAt >= lease.toNanos() || (hasBegun && !seeing)) {
            return SubscriptionState.SUSPENDED;
        }
        return hasBegun ? SubscriptionState.RUNNING : SubscriptionState.STARTING;
    }
}
