package org.pgbaton.capture;

import org.pgbaton.database.BatonException;

/**
 * A change that has no key, or cannot be decoded. It will be the same however often it is read, so somebody has to decide. Everything
 * before it is in the log, or in the scribe's drafts.
 */
final class StuckException extends BatonException {
    private static final long serialVersionUID = 1L;

    private final transient Mark place;
    private final String what;

    StuckException(Mark place, String what, RuntimeException cause) {
        super(what, cause);
        this.place = place;
        this.what = what;
    }

    Mark place() {
        return place;
    }

    /** Which change, and why it cannot be told. */
    String what() {
        return what;
    }
}
