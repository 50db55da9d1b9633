package org.pgbaton.subscription;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * A subscription that runs in this process, until {@link #close}. Reconnects after anything. Thread-safe.
 */
public final class Subscription implements AutoCloseable {
    private final Crew crew;
    private final Member member;
    private final ExecutorService threads;
    private volatile boolean skipped;
    private boolean closed;

    Subscription(Crew crew, Member member, ExecutorService threads) {
        this.crew = crew;
        this.member = member;
        this.threads = threads;
    }

    Member member() {
        return member;
    }

    public String name() {
        return member.options().name();
    }

    /** Which version of the projection this is; empty unless it was given. */
    public String target() {
        return member.options().target();
    }

    public String log() {
        return member.options().log().name();
    }

    public SubscriptionState state() {
        return skipped ? SubscriptionState.SKIPPED : member.state();
    }

    /** Why it does not run, or what troubles it. */
    public @Nullable String note() {
        return member.note();
    }

    public SubscriptionStats stats() {
        Counters counters = member.counters();
        return new SubscriptionStats(
                counters.handled.sum(),
                counters.batches.sum(),
                Duration.ofNanos(counters.batchNanos.sum()),
                counters.failures.sum(),
                counters.setAside.sum(),
                counters.rebalances.sum(),
                counters.fenced.sum(),
                member.ownedLanes(),
                member.behind(),
                member.keysAside(),
                member.keysParked());
    }

    /** Does not ask the database. */
    public SubscriptionHealth health() {
        String trouble = member.note();
        if (trouble == null) {
            trouble = member.outage();
        }
        if (trouble == null) {
            trouble = member.strangers();
        }
        int parked = member.keysParked();
        if (trouble == null && parked > 0) {
            trouble = parked + " parked keys wait for an operator";
        }
        SubscriptionState state = state();
        boolean runs = state == SubscriptionState.RUNNING
                || state == SubscriptionState.STANDBY
                || state == SubscriptionState.SUSPENDED;
        if (trouble == null && !crew.hub().isSeeing() && runs) {
            trouble = "the database cannot be reached";
        }
        int lanes = member.ownedLanes();
        if (trouble == null && state == SubscriptionState.SUSPENDED) {
            trouble = lanes > 0
                    ? "the database does not answer"
                    : "it owns no lane, although it should own " + Math.max(1, member.share())
                            + ": others hold the locks of the lanes and do not give them back";
        }
        return new SubscriptionHealth(name(), target(), state, lanes, trouble, member.stuck());
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
        crew.leave(member);
        crew.ended(this);
        threads.shutdownNow();
    }
}
