package org.pgbaton.wal;

import org.pgbaton.database.BatonException;

/**
 * A change has no key, or cannot be decoded. It will be the same however often it is read, so an operator has to decide. Everything before it is in
 * the log or was collected.
 */
final class UnreadableChangeException extends BatonException {
    private static final long serialVersionUID = 1L;

    private final transient ChangePlace place;
    private final String what;

    UnreadableChangeException(ChangePlace place, String what, RuntimeException cause) {
        super(what, cause);
        this.place = place;
        this.what = what;
    }

    ChangePlace place() {
        return place;
    }

    /** Which change, and why it cannot be captured. */
    String what() {
        return what;
    }
}
