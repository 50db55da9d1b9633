package org.pgbaton.subscription;

import org.pgbaton.database.BatonException;

/** A subscription is not there, is taken, or does not fit what was asked of it. */
public class SubscriptionException extends BatonException {
    private static final long serialVersionUID = 1L;

    /** A failure that the message explains. */
    public SubscriptionException(String message) {
        super(message, null);
    }
}
