package org.pgbaton.session;

/**
 * Whether a pool hands out connections with autocommit on. If it does, one with autocommit off belongs to a transaction, even
 * before that transaction's first statement: a framework has switched it off. Thread-safe.
 */
public final class PoolHabit {
    private volatile boolean autocommit;

    /** Learns from one more connection, and tells whether it differs from those before. */
    boolean isUnusual(boolean itsAutocommit) {
        if (itsAutocommit && !autocommit) {
            autocommit = true;
        }
        return autocommit && !itsAutocommit;
    }
}
