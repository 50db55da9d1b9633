package org.pgbaton.spring.transaction;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Knows which transactions have ended. Spring calls what is registered for after the commit, and for after the completion, while the
 * connection is still bound to the thread as if its transaction were open. What is written there is lost, or is committed though the
 * transaction rolled back.
 *
 * <p>Every transaction manager bean is told to report here, as are those that Baton makes. A connection's holder is marked just before the
 * commit, when nothing of the application can run in the transaction any more; and first of all after the completion, however it came.
 *
 * <p>Thread-safe; marks belong to the thread of the transaction.
 */
public final class EndedTransactions implements BeanPostProcessor {
    /** Weak: a holder is gone soon after its transaction. */
    private static final ThreadLocal<Set<ConnectionHolder>> ENDED =
            ThreadLocal.withInitial(() -> Collections.newSetFromMap(new WeakHashMap<>()));

    /** Public for Spring. */
    public EndedTransactions() {}

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof ConfigurableTransactionManager manager) {
            reportedBy(manager);
        }
        return bean;
    }

    /** Lets this manager report the ends of its transactions. */
    static void reportedBy(ConfigurableTransactionManager manager) {
        manager.addListener(new Reports());
    }

    /** Whether the transaction of this connection has ended, on this thread. */
    static boolean has(ConnectionHolder holder) {
        return ENDED.get().contains(holder);
    }

    private static @Nullable ConnectionHolder holderOf(TransactionExecution transaction) {
        return transaction.isNewTransaction() // not one that takes part, and not a savepoint
                        && transaction instanceof DefaultTransactionStatus status
                        && status.hasTransaction()
                        && status.getTransaction() instanceof JdbcTransactionObjectSupport jdbc
                        && jdbc.hasConnectionHolder()
                ? jdbc.getConnectionHolder()
                : null;
    }

    private static final class Reports implements TransactionExecutionListener {
        @Override
        public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
            ConnectionHolder holder = failure == null ? holderOf(transaction) : null;
            if (holder == null) {
                return;
            }
            ENDED.get().remove(holder); // somebody bound it for several transactions
            if (TransactionSynchronizationManager.isSynchronizationActive()) {
                TransactionSynchronizationManager.registerSynchronization(new End(holder));
            }
        }

        @Override
        public void beforeCommit(TransactionExecution transaction) {
            ConnectionHolder holder = holderOf(transaction);
            if (holder != null) {
                ENDED.get().add(holder);
            }
        }
    }

    /** Is called before those of the application. */
    private record End(ConnectionHolder holder) implements TransactionSynchronization {
        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }

        @Override
        public void afterCompletion(int status) {
            ENDED.get().add(holder);
        }
    }
}
