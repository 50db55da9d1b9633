package org.pgbaton.chaos.worker;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.pgbaton.database.Connector;
import org.postgresql.ds.PGSimpleDataSource;

/** A pool that opens a connection for whoever wants one, and refuses on request, as one that is exhausted. Thread-safe. */
final class Pool extends PGSimpleDataSource {
    private static final long serialVersionUID = 1L;

    private final transient Connector connector;
    private volatile boolean refuses;

    Pool(Connector connector) {
        this.connector = connector;
    }

    void refuse(boolean now) {
        refuses = now;
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (refuses) {
            throw new SQLTransientConnectionException("the pool is exhausted");
        }
        return connector.connect();
    }
}
