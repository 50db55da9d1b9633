package org.pgbaton.embedded;

import java.io.Serial;

/**
 * The embedded PostgreSQL cannot do what was asked.
 *
 * <p>The message is meant for the person at the keyboard: what was wrong, where, and what to do about it. Where the
 * server or one of its programs had something to say, its last lines follow.
 */
public final class EmbeddedPostgresException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    EmbeddedPostgresException(String message) {
        super(message);
    }

    EmbeddedPostgresException(String message, Throwable cause) {
        super(message, cause);
    }
}
