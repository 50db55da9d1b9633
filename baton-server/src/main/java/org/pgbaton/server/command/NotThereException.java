package org.pgbaton.server.command;

/** Something that the command line names does not exist. The message says what does. */
public final class NotThereException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NotThereException(String message) {
        super(message);
    }
}
