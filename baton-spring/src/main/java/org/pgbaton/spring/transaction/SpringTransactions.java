package org.pgbaton.spring.transaction;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Savepoint;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.pgbaton.subscription.Transactions;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Runs projections in transactions of the application's own transaction manager, so that repositories and {@code JdbcClient} inside them
 * take part: their writes and the checkpoint commit together.
 *
 * <p>With a manager for JDBC one message of a batch can be undone by a savepoint; a part of the transaction that was marked as rollback-only
 * by the failure counts as undone then, too. Other managers, such as JPA's, keep writes in memory: for those the whole transaction is rolled
 * back, and done again without the message that failed.
 *
 * <p>Thread-safe; each transaction belongs to the thread that runs it.
 */
public final class SpringTransactions implements Transactions {
    private static final ThreadLocal<@Nullable TransactionStatus> CURRENT = new ThreadLocal<>();

    private final PlatformTransactionManager manager;
    private final CallersTransaction callers;
    private final DefaultTransactionDefinition definition;

    /** With this manager, whose transactions must be ones of Baton's data source. */
    public SpringTransactions(PlatformTransactionManager manager, CallersTransaction callers, String name) {
        this.manager = manager;
        this.callers = callers;
        this.definition = new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        this.definition.setName(name);
    }

    /**
     * Begins a transaction and looks at it, so that a manager that does not fit is found at start. If the application's default isolation is
     * not READ COMMITTED, that is asked for from now on.
     *
     * @throws org.springframework.transaction.IllegalTransactionStateException if its transactions are not ones of Baton's data source
     */
    public void requireFit() throws Exception {
        run(connection -> {
            try (var statement = connection.createStatement();
                    var row = statement.executeQuery("SHOW transaction_isolation")) {
                if (row.next() && !"read committed".equals(row.getString(1))) {
                    definition.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
                }
            }
        });
    }

    @Override
    public boolean hasSavepoints() {
        return manager instanceof DataSourceTransactionManager;
    }

    @Override
    public int callbacks() {
        return TransactionSynchronizationManager.isSynchronizationActive()
                ? TransactionSynchronizationManager.getSynchronizations().size()
                : 0;
    }

    @Override
    public void run(Work work) throws Exception {
        TransactionStatus status = manager.getTransaction(definition);
        CURRENT.set(status);
        try {
            callers.run("work for " + definition.getName(), connection -> {
                work.on(hasSavepoints() ? resetting(connection) : connection);
            });
        } catch (Throwable failed) {
            CURRENT.remove();
            rollback(status, failed);
            throw failed;
        }
        CURRENT.remove();
        manager.commit(status);
    }

    /**
     * After each call of a listener: writes what the transaction manager keeps in memory, so that a refusal is found while the message is
     * known.
     *
     * @throws UnexpectedRollbackException if a part of the transaction has failed and the listener went on. Undoing a later message would
     *     take that mark back, and what the part did halfway would commit
     */
    public void flush() {
        TransactionStatus status = CURRENT.get();
        if (status == null) {
            return;
        }
        if (status.isRollbackOnly()) {
            throw new UnexpectedRollbackException(
                    "The listener swallowed a failure that marked its transaction as rollback-only, so nothing it did can commit."
                            + " Let the exception through, or make the inner @Transactional method NESTED, which JDBC can undo"
                            + " alone.");
        }
        status.flush();
    }

    private void rollback(TransactionStatus status, Throwable failed) {
        try {
            manager.rollback(status);
        } catch (RuntimeException also) {
            failed.addSuppressed(also); // the connection broke, perhaps; what failed first says more
        }
    }

    /** A rollback to a savepoint also takes back that a part of the transaction has failed. Spring's nested transactions do the same. */
    private Connection resetting(Connection connection) {
        DataSource source = ((DataSourceTransactionManager) manager).getDataSource();
        return (Connection) Proxy.newProxyInstance(
                SpringTransactions.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(connection, arguments);
                        boolean undone = method.getName().equals("rollback")
                                && arguments != null
                                && arguments[0] instanceof Savepoint;
                        if (undone
                                && source != null
                                && TransactionSynchronizationManager.getResource(source)
                                        instanceof ConnectionHolder holder) {
                            holder.resetRollbackOnly();
                        }
                        return result;
                    } catch (InvocationTargetException theirs) {
                        throw theirs.getCause();
                    }
                });
    }
}
