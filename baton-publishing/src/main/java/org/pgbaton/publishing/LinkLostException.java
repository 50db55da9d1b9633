package org.pgbaton.publishing;

import org.jspecify.annotations.Nullable;

/** The connection cannot be used any more. The message is a sentence that says why. */
public final class LinkLostException extends Exception {
    private static final long serialVersionUID = 1L;

    /** A connection that was lost, and why. */
    public LinkLostException(String sentence, @Nullable Throwable cause) {
        super(sentence, cause);
    }

    /** Never null. */
    String sentence() {
        return String.valueOf(getMessage());
    }
}
