package org.pgbaton.schema;

import org.pgbaton.database.BatonException;

/** Baton's schema is missing, too old, or too new for this program. */
public final class SchemaException extends BatonException {
    private static final long serialVersionUID = 1L;

    /** A schema that the message says what to do about. */
    public SchemaException(String message) {
        super(message, null);
    }
}
