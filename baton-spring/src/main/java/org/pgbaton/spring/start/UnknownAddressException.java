package org.pgbaton.spring.start;

import org.pgbaton.database.BatonException;

/** The data source does not say where its database is, and nobody else did. */
public final class UnknownAddressException extends BatonException {
    private static final long serialVersionUID = 1L;

    UnknownAddressException() {
        super(
                "Baton needs connections of its own, and the DataSource does not say where its database is:"
                        + " set baton.datasource.url, baton.datasource.username and baton.datasource.password.",
                null);
    }
}
