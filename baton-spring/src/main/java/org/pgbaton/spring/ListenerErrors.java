package org.pgbaton.spring;

import org.jspecify.annotations.Nullable;
import org.pgbaton.subscription.Verdict;

/**
 * A bean that says what the failures of all listeners mean. The attributes of {@link BatonListener} come first. Called on the listener's
 * thread.
 */
@FunctionalInterface
public interface ListenerErrors {
    /**
     * What a failure means.
     *
     * @param subscription whose listener failed
     * @return null for Baton's default: trouble with the database that passes is an outage, everything else is tried again
     */
    @Nullable
    Verdict verdict(String subscription, Throwable failure);
}
