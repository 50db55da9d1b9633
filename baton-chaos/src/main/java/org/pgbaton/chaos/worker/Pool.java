package org.pgbaton.chaos.worker;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.pgbaton.database.Connector;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The pool of an application: HikariCP with its defaults, except that it has room for all parts of a scenario and closes idle connections soon. It
 * refuses on request, as one that is exhausted. Thread-safe.
 */
final class Pool extends PGSimpleDataSource implements AutoCloseable {
    private static final long serialVersionUID = 1L;
    private static final int MOST = 30;

    private final transient HikariDataSource connections;
    private volatile boolean refuses;

    Pool(Connector connector) {
        // Looks for idle connections every two seconds, so that the campaign sees those that are kept for another
        // reason.
        System.setProperty("com.zaxxer.hikari.housekeeping.periodMs", "2000");
        HikariConfig config = new HikariConfig();
        config.setDataSource(new Opening(connector));
        config.setMaximumPoolSize(MOST);
        config.setMinimumIdle(0);
        config.setIdleTimeout(10_000);
        config.setInitializationFailTimeout(-1);
        connections = new HikariDataSource(config);
    }

    void refuse(boolean now) {
        refuses = now;
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (refuses) {
            throw new SQLTransientConnectionException("the pool is exhausted");
        }
        return connections.getConnection();
    }

    @Override
    public void close() {
        connections.close();
    }

    /** Opens a connection for whoever wants one. */
    private static final class Opening extends PGSimpleDataSource {
        private static final long serialVersionUID = 1L;

        private final transient Connector connector;

        Opening(Connector connector) {
            this.connector = connector;
        }

        @Override
        public Connection getConnection() throws SQLException {
            return connector.connect();
        }
    }
}
