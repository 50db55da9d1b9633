package org.pgbaton.capture;

import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;

/** A capture cannot begin or continue until somebody changes something; the message says what. */
public class CaptureException extends BatonException {
    private static final long serialVersionUID = 1L;

    /** A failure that the message explains. */
    public CaptureException(String message) {
        this(message, null);
    }

    /** A failure that the message explains, with its cause. */
    public CaptureException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
