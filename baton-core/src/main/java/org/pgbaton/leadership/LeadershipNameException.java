package org.pgbaton.leadership;

import org.pgbaton.database.BatonException;

/** The name of a leadership cannot be used: malformed, in use by another candidate here, or its key belongs to another. */
public final class LeadershipNameException extends BatonException {
    private static final long serialVersionUID = 1L;

    /** A name that cannot be used; the message says why. */
    public LeadershipNameException(String message) {
        super(message, null);
    }
}
