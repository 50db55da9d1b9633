package org.pgbaton.server.http;

/** The process cannot listen on an address. The message says which, and what to change. */
public final class ListenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ListenException(String message) {
        super(message);
    }
}
