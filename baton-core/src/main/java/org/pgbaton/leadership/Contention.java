package org.pgbaton.leadership;

/** What to do when somebody else leads. The caller's choice. */
public enum Contention {
    /** Throw {@link LeadershipHeldException}. */
    FAIL,
    /** Do nothing and say so. */
    SKIP,
    /** Wait to take over. */
    STAND_BY
}
