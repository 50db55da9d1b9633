package org.pgbaton.server.command;

/** The command line cannot be understood as it is; the message says which part and what would do. */
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        super(message);
    }
}
