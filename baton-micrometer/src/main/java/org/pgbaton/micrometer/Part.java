package org.pgbaton.micrometer;

import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.subscription.SubscriptionStats;

/**
 * The numbers of one subscription in this process that the meters need. Two parts of the same subscription are equal.
 */
interface Part {
    SubscriptionState state();

    SubscriptionStats stats();

    boolean isHealthy();

    static Part of(Subscription subscription) {
        return new Running(subscription);
    }

    /** The part of a running subscription. */
    record Running(Subscription subscription) implements Part {
        @Override
        public SubscriptionState state() {
            return subscription.state();
        }

        @Override
        public SubscriptionStats stats() {
            return subscription.stats();
        }

        @Override
        public boolean isHealthy() {
            return subscription.health().isHealthy();
        }
    }
}
