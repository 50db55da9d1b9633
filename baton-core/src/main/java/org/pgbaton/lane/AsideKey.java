package org.pgbaton.lane;

import org.jspecify.annotations.Nullable;
import org.pgbaton.handling.Call;

/**
 * A key that is set aside, as its lane's owner keeps it in mind. Guarded by the member's state.
 *
 * <pre>
 *   set aside ──► waits until it is due ──► drained ──► recovered ── the lane's next close ──► flows again
 *                   ▲        ▲                 │ │         │ another message was passed over
 *                   │        └── failed, more ─┘ │         ▼
 *                   └─────────── its call ended ─┘◄── waits until it is due
 * </pre>
 *
 * <p>A key that is parked waits for an operator. Everything that must survive the lane's tenure is stored, except calls that have not ended:
 * those are known to {@link org.pgbaton.handling.HandlerCalls}.
 */
public final class AsideKey {
    private final Lane lane;
    private final String key;
    /** Among keys that are due at the same time. */
    private final long order;

    private boolean parked;
    private int attempts;
    /** Why the last attempt ended, if the whole target was away. */
    private @Nullable String outage;
    /** On the monotonic clock. */
    private long dueAt;

    private boolean queued;
    private boolean draining;
    private boolean recovered;
    /** How often a message of it was passed over since it was set aside. A drain that found nothing left compares it. */
    private long passes;
    /** The same when it was drained the last time. */
    private long passesSeen;

    private int most;
    private boolean slow;
    private @Nullable Call running;

    AsideKey(Lane lane, String key, boolean parked, int attempts, long dueAt, long order) {
        this.lane = lane;
        this.key = key;
        this.parked = parked;
        this.attempts = attempts;
        this.dueAt = dueAt;
        this.order = order;
    }

    public Lane lane() {
        return lane;
    }

    public String key() {
        return key;
    }

    long order() {
        return order;
    }

    /** Whether it waits for an operator. */
    public boolean isParked() {
        return parked;
    }

    void setParked(boolean isParked) {
        parked = isParked;
    }

    public int attempts() {
        return attempts;
    }

    public void setAttempts(int number) {
        attempts = number;
    }

    @Nullable
    String outage() {
        return outage;
    }

    void setOutage(@Nullable String why) {
        outage = why;
    }

    /** When it is drained next, on the monotonic clock. */
    public long dueAt() {
        return dueAt;
    }

    void setDueAt(long when) {
        dueAt = when;
    }

    /** Whether it waits until it is due. */
    public boolean isQueued() {
        return queued;
    }

    void setQueued(boolean isQueued) {
        queued = isQueued;
    }

    public boolean isDraining() {
        return draining;
    }

    void setDraining(boolean isDraining) {
        draining = isDraining;
        if (isDraining) {
            passesSeen = passes;
        }
    }

    /** Whether nothing of it waits any more: it flows again with the lane's next close. */
    boolean isRecovered() {
        return recovered;
    }

    void setRecovered(boolean isRecovered) {
        recovered = isRecovered;
    }

    void passedOver() {
        passes++;
    }

    /** Whether a message of it was passed over since its drain began. */
    public boolean wasPassedOver() {
        return passes != passesSeen;
    }

    /** At most so many of its messages are handled together, to find the one that fails; 0: any number. */
    public int most() {
        return most;
    }

    public void setMost(int messages) {
        most = messages;
    }

    /** Whether its last call took too long. */
    public boolean isSlow() {
        return slow;
    }

    public void setSlow(boolean isSlow) {
        slow = isSlow;
    }

    /** A call of the handler that has not been waited for, of this tenure or of one before. */
    public @Nullable Call running() {
        return running;
    }

    public void setRunning(@Nullable Call call) {
        running = call;
    }
}
