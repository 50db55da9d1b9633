package org.pgbaton.database;

import org.jspecify.annotations.Nullable;

/**
 * Whatever Baton cannot do for you. The message is one sentence: what happened, to what, and what to do.
 * Subclasses live beside the concept they belong to.
 */
public abstract class BatonException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String message;

    /** A failure that the message explains, perhaps with its cause. */
    protected BatonException(String message, @Nullable Throwable cause) {
        super(message, cause);
        this.message = message;
    }

    @Override
    public String getMessage() {
        return message;
    }
}
