package org.pgbaton.bench.peers;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.axonframework.common.jdbc.ConnectionProvider;
import org.axonframework.common.transaction.Transaction;
import org.axonframework.common.transaction.TransactionManager;

/** A transaction belongs to its thread, as with Spring: the token is stored in the transaction of the batch. */
final class ThreadTransactions implements TransactionManager, ConnectionProvider {
    private final DataSource pool;
    private final ThreadLocal<Connection> current = new ThreadLocal<>();

    ThreadTransactions(DataSource pool) {
        this.pool = pool;
    }

    @Override
    public Transaction startTransaction() {
        if (current.get() != null) {
            return new Transaction() {
                @Override
                public void commit() {}

                @Override
                public void rollback() {}
            };
        }
        try {
            Connection connection = pool.getConnection();
            connection.setAutoCommit(false);
            current.set(connection);
            return new Transaction() {
                @Override
                public void commit() {
                    end(connection, true);
                }

                @Override
                public void rollback() {
                    end(connection, false);
                }
            };
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private void end(Connection connection, boolean commit) {
        current.remove();
        try (connection) {
            if (commit) {
                connection.commit();
            } else {
                connection.rollback();
            }
            connection.setAutoCommit(true);
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = current.get();
        if (connection == null) {
            return pool.getConnection();
        }
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close") || method.getName().equals("commit")) {
                        return null;
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }
}
