package org.pgbaton.subscription;

import org.jspecify.annotations.Nullable;

/**
 * A subscription that runs in this process, until {@link #close}. Reconnects after anything. Thread-safe.
 */
public interface Subscription extends AutoCloseable {
    /** The name that it was given. */
    String name();

    /** Which version of the projection this is; empty unless it was given. */
    String target();

    /** The name of the log that it reads. */
    String log();

    /** What this process's part in it is doing. */
    SubscriptionState state();

    /** Why it does not run, or what troubles it; null if there is nothing to say. */
    @Nullable
    String note();

    /** Counts since it started in this process, and how it is now. */
    SubscriptionStats stats();

    /** How it is doing. Does not ask the database. */
    SubscriptionHealth health();

    /** Ends it here, and blocks until the handlers that run have ended. Others take the lanes over. Can be called twice. */
    @Override
    void close();
}
