package org.pgbaton.server.command;

/** What the command line names does not exist in this database; the message says what does. */
public final class NotThereException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NotThereException(String message) {
        super(message);
    }
}
