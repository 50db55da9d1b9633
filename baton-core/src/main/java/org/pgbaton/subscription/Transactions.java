package org.pgbaton.subscription;

import java.sql.Connection;

/**
 * The application's own transactions, for projections that use its transaction manager. Runs the work in a new READ COMMITTED
 * transaction, on the thread that called, with the connection that belongs to it; commits when the work returns, rolls back when it
 * throws, and passes that on.
 *
 * <pre>{@code
 * Transactions own = work -> {
 *     try (Connection connection = dataSource.getConnection()) { // in Spring: a TransactionTemplate and DataSourceUtils
 *         connection.setAutoCommit(false);
 *         work.on(connection);
 *         connection.commit();
 *     }
 * };
 * }</pre>
 */
@FunctionalInterface
public interface Transactions {
    /** One unit of work. */
    @FunctionalInterface
    interface Work {
        /**
         * Does the work on the transaction's connection.
         *
         * @throws Exception if it failed: the transaction is rolled back
         */
        void on(Connection connection) throws Exception;
    }

    /**
     * Runs the work in a new transaction.
     *
     * @throws Exception what the work throws
     */
    void run(Work work) throws Exception;

    /**
     * Whether what a handler did for one message can be undone alone, by a savepoint on the connection. False if the transaction manager
     * keeps writes in memory, as JPA does, or cannot commit after a part of the transaction has failed: then the whole transaction is rolled
     * back, and the others are handled again without the message that failed. Default: true.
     */
    default boolean hasSavepoints() {
        return true;
    }

    /**
     * How many callbacks are registered with the transaction that is open on this thread, to be called when it ends. A savepoint does not
     * take them back: if a message that failed has registered one, the whole transaction is rolled back, as without savepoints. Default: 0,
     * for transactions that have none.
     */
    default int callbacks() {
        return 0;
    }
}
