package org.pgbaton.leadership;

/**
 * Where a process stands in a leadership.
 *
 * <pre>
 *   STANDBY ──► LEADING ◄──► SUSPENDED
 *                  │             │
 *                  └───► LOST ◄──┘      (a candidate starts again at STANDBY)
 * </pre>
 */
public enum LeadershipState {
    /** Waiting to take over. */
    STANDBY,
    /** The lock is certainly ours. */
    LEADING,
    /** The database has not answered for so long that nothing new may be started; the next answer may repair that. */
    SUSPENDED,
    /** The term is over: released, or lost. It does not come back. */
    LOST
}
