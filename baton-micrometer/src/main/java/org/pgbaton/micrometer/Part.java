package org.pgbaton.micrometer;

import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionState;
import org.pgbaton.subscription.SubscriptionStats;

/** What the meters want to know of one subscription in this process. Two of the same subscription are equal. */
interface Part {
    SubscriptionState state();

    SubscriptionStats stats();

    static Part of(Subscription subscription) {
        return new Running(subscription);
    }

    /** A real one. */
    record Running(Subscription subscription) implements Part {
        @Override
        public SubscriptionState state() {
            return subscription.state();
        }

        @Override
        public SubscriptionStats stats() {
            return subscription.stats();
        }
    }
}
