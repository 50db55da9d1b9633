package org.pgbaton.spring.transaction;

import org.pgbaton.database.BatonException;

/** The application has several databases, and it is not clear in which of them Baton's tables are. */
public final class UnclearDataSourceException extends BatonException {
    private static final long serialVersionUID = 1L;

    /** For this reason. */
    public UnclearDataSourceException(String message) {
        super(message, null);
    }
}
