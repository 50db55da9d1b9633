package org.pgbaton.leadership;

import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;

/** Somebody else leads, and the caller asked for that to be an error. */
public final class LeadershipHeldException extends BatonException {
    private static final long serialVersionUID = 1L;

    private final String leadership;
    private final transient @Nullable Holder holder;

    /** Somebody else leads; {@code holder} is null if nobody knows who. */
    public LeadershipHeldException(String leadership, @Nullable Holder holder) {
        super(
                "Leadership '" + leadership + "' is held by " + (holder == null ? "somebody else" : holder)
                        + "; try later, or stand by.",
                null);
        this.leadership = leadership;
        this.holder = holder;
    }

    /** The name of the leadership. */
    public String leadership() {
        return leadership;
    }

    /** Who leads; null if unknown. */
    public @Nullable Holder holder() {
        return holder;
    }
}
