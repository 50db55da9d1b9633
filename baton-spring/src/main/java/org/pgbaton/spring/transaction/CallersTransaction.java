package org.pgbaton.spring.transaction;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.pgbaton.subscription.Transactions;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ReflectionUtils;

/**
 * The transaction that the caller has open on Baton's data source, by JDBC, JPA or whatever shows its connection to Spring.
 *
 * <p>Guarantee: the work runs on the connection of that transaction, or it is refused with an {@link IllegalTransactionStateException}.
 * It never runs in another transaction, and never on a connection that nobody commits.
 *
 * <p>How the transaction is found:
 *
 * <ol>
 *   <li>A transaction must be open on this thread, and must not be read-only.
 *   <li>It must not have ended: see {@link EndedTransactions}.
 *   <li>A transaction manager must have bound a connection to Baton's data source, or to a proxy around the same pool.
 *   <li>That connection must be part of the transaction. Spring also binds connections that were only used while a transaction of another
 *       data source was open; those are refused.
 *   <li>If the data source routes, the connection must be one to Baton's database. That is asked once for each call.
 * </ol>
 *
 * <p>Thread-safe; the transaction is the calling thread's.
 */
public final class CallersTransaction {
    /** Work on the connection of the caller's transaction. */
    @FunctionalInterface
    public interface Work<T> {
        /**
         * Does the work.
         *
         * @throws SQLException if PostgreSQL refuses
         */
        T on(Connection connection) throws SQLException;
    }

    /** Says whether a transaction manager for JDBC has begun a transaction on the connection. Spring keeps it to itself. */
    private static final @Nullable Method IS_TRANSACTION_ACTIVE =
            ReflectionUtils.findMethod(ConnectionHolder.class, "isTransactionActive");

    private final DataSource source;
    private final DataSource pool;
    private final @Nullable SameDatabase sameDatabase;
    private final SQLExceptionTranslator translator = new SQLExceptionSubclassTranslator();

    /** Of transactions on this data source. */
    public CallersTransaction(DataSource source) {
        this.source = DataSources.withoutTransactionAwareness(source);
        this.pool = DataSources.innermost(source);
        this.sameDatabase = DataSources.isRouting(source) ? new SameDatabase(DataSources.forOwnWork(source)) : null;
        if (IS_TRANSACTION_ACTIVE != null) {
            ReflectionUtils.makeAccessible(IS_TRANSACTION_ACTIVE);
        }
    }

    /**
     * Does the work in the caller's transaction.
     *
     * @param doing what is done, for sentences: "send to the outbox 'outbox'"
     * @param apart the name of the call that needs no transaction
     * @throws IllegalTransactionStateException if there is no transaction that the work could be a part of
     * @throws DataAccessException if PostgreSQL refuses
     */
    public <T> T run(String doing, String apart, Work<T> work) {
        DataSource bound = bound(doing, apart);
        Connection connection = DataSourceUtils.getConnection(bound);
        try {
            require(doing, connection);
            return work.on(connection);
        } catch (SQLException refused) {
            DataAccessException translated = translator.translate(doing, null, refused);
            throw translated == null ? new UncategorizedSQLException(doing, null, refused) : translated;
        } finally {
            DataSourceUtils.releaseConnection(connection, bound);
        }
    }

    /**
     * Does work that may throw anything, and passes that on as it is.
     *
     * @throws IllegalTransactionStateException if there is no transaction that the work could be a part of
     */
    void run(String doing, Transactions.Work work) throws Exception {
        DataSource bound = bound(doing, "a transaction of its own");
        Connection connection = DataSourceUtils.getConnection(bound);
        try {
            require(doing, connection);
            work.on(connection);
        } finally {
            DataSourceUtils.releaseConnection(connection, bound);
        }
    }

    private DataSource bound(String doing, String apart) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalTransactionStateException("Cannot " + doing
                    + ": no transaction is open on this thread, so the message could not commit together with your writes."
                    + " Put @Transactional on the method that calls, or call " + apart
                    + ", which commits the message at once.");
        }
        DataSource found = boundToTransaction();
        if (found == null) {
            throw notOurs(doing);
        }
        if (hasEnded(found)) {
            throw new IllegalTransactionStateException("Cannot " + doing
                    + ": the transaction of this thread has ended already, as it has in what is called after its commit,"
                    + " rollback or completion, so the message could not commit together with your writes. Do it inside"
                    + " the transaction (BEFORE_COMMIT is early enough), or call " + apart
                    + ", which commits the message at once.");
        }
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new IllegalTransactionStateException("Cannot " + doing
                    + ": the open transaction is read-only. Remove readOnly = true from its @Transactional.");
        }
        return found;
    }

    /** After the completion Spring has no synchronizations any more, unless a part that joined too late has begun new ones. */
    private static boolean hasEnded(DataSource bound) {
        return !TransactionSynchronizationManager.isSynchronizationActive()
                || (TransactionSynchronizationManager.getResource(bound) instanceof ConnectionHolder holder
                        && EndedTransactions.has(holder));
    }

    private void require(String doing, Connection connection) throws SQLException {
        if (connection.getAutoCommit()) {
            throw notOurs(doing);
        }
        if (sameDatabase != null && !sameDatabase.has(connection)) {
            throw new IllegalTransactionStateException("Cannot " + doing
                    + ": the DataSource has routed the open transaction to another database than Baton's, where nobody would read"
                    + " the message. Route to Baton's database, or have a Baton for each database.");
        }
    }

    private @Nullable DataSource boundToTransaction() {
        if (isInTransaction(TransactionSynchronizationManager.getResource(source))) {
            return source;
        }
        for (Map.Entry<Object, Object> each :
                TransactionSynchronizationManager.getResourceMap().entrySet()) {
            if (each.getKey() instanceof DataSource other
                    && DataSources.innermost(other) == pool
                    && isInTransaction(each.getValue())) {
                return other;
            }
        }
        return null;
    }

    /**
     * A manager for JDBC marks the connection as active. A manager for JPA binds a connection without any mark. A connection that was only
     * used beside somebody else's transaction is marked as synchronized with it, and not as active.
     */
    private static boolean isInTransaction(@Nullable Object resource) {
        return resource instanceof ConnectionHolder holder
                && (!holder.isSynchronizedWithTransaction() || isTransactionActive(holder));
    }

    private static boolean isTransactionActive(ConnectionHolder holder) {
        if (IS_TRANSACTION_ACTIVE == null) {
            return true; // autocommit mode is looked at as well
        }
        try {
            return Boolean.TRUE.equals(IS_TRANSACTION_ACTIVE.invoke(holder));
        } catch (IllegalAccessException | InvocationTargetException unknown) {
            throw new IllegalStateException("Spring's ConnectionHolder does not say whether it is in use.", unknown);
        }
    }

    private static IllegalTransactionStateException notOurs(String doing) {
        return new IllegalTransactionStateException("Cannot " + doing
                + ": the open transaction is not one of Baton's data source, so the message would not commit together with"
                + " it. Use the transaction manager of that data source (with JPA, one that exposes its JDBC connection),"
                + " or mark the right DataSource bean with @BatonDataSource.");
    }
}
