package org.pgbaton.subscription;

import java.sql.Connection;

/**
 * The application's own transactions, for projections that use its transaction manager. Runs the work in a new READ COMMITTED
 * transaction, on the thread that called, with the connection that belongs to it; commits when the work returns, rolls back when it
 * throws, and passes that on.
 *
 * <pre>{@code
 * Transactions spring = work -> template.execute(status -> {
 *     Connection connection = DataSourceUtils.getConnection(dataSource);
 *     …
 * });
 * }</pre>
 */
@FunctionalInterface
public interface Transactions {
    /** One unit of work. */
    @FunctionalInterface
    interface Work {
        void on(Connection connection) throws Exception;
    }

    void run(Work work) throws Exception;
}
