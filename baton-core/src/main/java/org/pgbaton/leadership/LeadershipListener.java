package org.pgbaton.leadership;

/**
 * Is told every change of state, in order for each leadership. Called on Baton's own threads: return quickly. What it
 * throws is logged and otherwise ignored.
 */
@FunctionalInterface
public interface LeadershipListener {
    /** Is called after a change. */
    void changed(LeadershipChange change);
}
