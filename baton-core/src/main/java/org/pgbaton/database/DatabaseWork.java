package org.pgbaton.database;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Statements that are run in one transaction, and their result. */
@FunctionalInterface
public interface DatabaseWork<T extends @Nullable Object> {
    /**
     * Runs the statements. The transaction is the caller's: do not commit it.
     *
     * @throws SQLException if the database refuses; the transaction is rolled back
     */
    T on(Connection connection) throws SQLException;
}
