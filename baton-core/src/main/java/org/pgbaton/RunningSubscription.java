package org.pgbaton;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pgbaton.handling.WorkCounters;
import org.pgbaton.member.Member;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionHealth;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.subscription.SubscriptionStats;

/** A member, as the application sees it. Thread-safe. */
final class RunningSubscription implements Subscription {
    private final Member member;
    private final BooleanSupplier databaseIsSeen;
    private final Consumer<RunningSubscription> onClose;
    private volatile boolean skipped;
    private boolean closed;

    /**
     * @param databaseIsSeen whether the hub's last look succeeded
     * @param onClose ends the member
     */
    RunningSubscription(Member member, BooleanSupplier databaseIsSeen, Consumer<RunningSubscription> onClose) {
        this.member = member;
        this.databaseIsSeen = databaseIsSeen;
        this.onClose = onClose;
    }

    Member member() {
        return member;
    }

    @Override
    public String name() {
        return member.options().name();
    }

    @Override
    public String target() {
        return member.options().target();
    }

    @Override
    public String log() {
        return member.options().log().name();
    }

    @Override
    public SubscriptionState state() {
        return skipped ? SubscriptionState.SKIPPED : member.state();
    }

    @Override
    public @Nullable String note() {
        return member.note();
    }

    @Override
    public SubscriptionStats stats() {
        WorkCounters counters = member.counters();
        return new SubscriptionStats(
                counters.handled(),
                counters.batches(),
                counters.batchTime(),
                counters.failures(),
                counters.setAside(),
                counters.rebalances(),
                counters.fenced(),
                member.ownedLanes(),
                member.behind(),
                member.keysAside(),
                member.keysParked());
    }

    @Override
    public SubscriptionHealth health() {
        String trouble = member.note();
        if (trouble == null) {
            trouble = member.outage();
        }
        if (trouble == null) {
            trouble = member.foreignLocks();
        }
        int parked = member.keysParked();
        if (trouble == null && parked > 0) {
            trouble = parked + " parked keys wait for an operator";
        }
        SubscriptionState state = state();
        boolean runs = state == SubscriptionState.RUNNING
                || state == SubscriptionState.STANDBY
                || state == SubscriptionState.SUSPENDED;
        if (trouble == null && !databaseIsSeen.getAsBoolean() && runs) {
            trouble = "the database cannot be reached";
        }
        int lanes = member.ownedLanes();
        if (trouble == null && state == SubscriptionState.SUSPENDED) {
            trouble = lanes > 0
                    ? "the database does not answer"
                    : "it owns no lane, although it should own " + Math.max(1, member.share())
                            + ": others hold the locks of the lanes and do not give them back";
        }
        return new SubscriptionHealth(name(), target(), state, lanes, trouble, member.isTargetAway(), member.stuck());
    }

    void skipped() {
        skipped = true;
    }

    /** Ends it here, and blocks until the handlers that run have ended. Others take the lanes over. Can be called twice. */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        onClose.accept(this);
    }
}
