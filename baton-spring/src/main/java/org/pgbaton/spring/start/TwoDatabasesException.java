package org.pgbaton.spring.start;

import org.pgbaton.database.BatonException;

/** Baton's own connections would lead to another database than the application's data source. */
public final class TwoDatabasesException extends BatonException {
    private static final long serialVersionUID = 1L;

    TwoDatabasesException() {
        super(
                "Baton's own connections lead to another database than the DataSource: locks taken there would protect nothing here."
                        + " Set baton.datasource.url to the database of the DataSource, straight to PostgreSQL.",
                null);
    }
}
