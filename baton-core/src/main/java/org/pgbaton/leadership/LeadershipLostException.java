package org.pgbaton.leadership;

import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;

/** The term is over, or cannot be trusted right now. Roll back, and do not go on with work that belongs to it. */
public final class LeadershipLostException extends BatonException {
    private static final long serialVersionUID = 1L;

    private final String leadership;
    private final long epoch;

    /** A term that may not go on, and why. */
    public LeadershipLostException(String leadership, long epoch, String reason, @Nullable Throwable cause) {
        super("Epoch " + epoch + " of leadership '" + leadership + "' may not go on: " + reason, cause);
        this.leadership = leadership;
        this.epoch = epoch;
    }

    /** The name of the leadership. */
    public String leadership() {
        return leadership;
    }

    /** The epoch of the term. */
    public long epoch() {
        return epoch;
    }
}
