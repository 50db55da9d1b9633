package org.pgbaton.server.command;

/** What was asked cannot be done now, and perhaps later; the message says what stands in the way. */
public final class TryLaterException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public TryLaterException(String message) {
        super(message);
    }
}
