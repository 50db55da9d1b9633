package org.pgbaton.server.command;

/** The command cannot do its work now, but perhaps later. The message says what stands in the way. */
public final class TryLaterException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public TryLaterException(String message) {
        super(message);
    }
}
