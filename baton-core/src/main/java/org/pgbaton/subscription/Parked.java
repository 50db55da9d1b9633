package org.pgbaton.subscription;

import org.jspecify.annotations.Nullable;

/**
 * A key that is set aside, as its lane's owner keeps it in mind. Guarded by the member's board.
 *
 * <pre>
 *   set aside ──► waits until it is due ──► drained ──► recovered ── the lane's next close ──► flows again
 *                   ▲        ▲                 │ │         │ another message was passed over
 *                   │        └── failed, more ─┘ │         ▼
 *                   └─────────── its call ended ─┘◄── waits until it is due
 * </pre>
 *
 * <p>One that is parked for good waits for an operator. All that must survive the lane's tenure is stored, but for calls that have not
 * ended: those are in {@link Calls}.
 */
final class Parked {
    final Lane lane;
    final String key;
    /** Among keys that are due at the same time. */
    final long order;
    /** Parked for good: waits for an operator. */
    boolean parked;

    int attempts;

    /** Why the last attempt ended, if the whole target was away. */
    @Nullable
    String outage;

    /** On the monotonic clock. */
    long dueAt;

    /** In the lane's queue. */
    boolean queued;

    boolean draining;
    /** Nothing of it waits any more: it flows again with the lane's next close. */
    boolean recovered;
    /** How often a message of it was passed over since it was set aside: whoever found nothing left compares. */
    long passes;
    /** The same when it was drained the last time. */
    long passesSeen;
    /** So many messages at most are handled together, to find the one that fails; 0: as many as there are. */
    int most;
    /** Its last call took too long. */
    boolean slow;

    /** A call of the handler that has not been waited for, of this tenure or of one before. */
    @Nullable
    Call inFlight;

    Parked(Lane lane, String key, boolean parked, int attempts, long dueAt, long order) {
        this.lane = lane;
        this.key = key;
        this.parked = parked;
        this.attempts = attempts;
        this.dueAt = dueAt;
        this.order = order;
    }
}
