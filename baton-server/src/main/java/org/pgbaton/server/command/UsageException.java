package org.pgbaton.server.command;

/** The command line makes no sense. The message says which part of it, and what to write instead. */
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        super(message);
    }
}
