package org.pgbaton.spring.transaction;

import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** What stands behind Spring's proxies of data sources. */
public final class DataSources {
    private DataSources() {}

    /**
     * The data source that a transaction manager binds its connections to. A {@link TransactionAwareDataSourceProxy} hands out the
     * connection of the caller's transaction, which is not to be used for Baton's own work.
     */
    public static DataSource withoutTransactionAwareness(DataSource source) {
        DataSource inner = source;
        while (inner instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null) {
            inner = proxy.getTargetDataSource();
        }
        return inner;
    }

    /** The data source behind all of Spring's delegating proxies: the pool, or one that routes. */
    public static DataSource innermost(DataSource source) {
        DataSource inner = source;
        while (inner instanceof DelegatingDataSource proxy && proxy.getTargetDataSource() != null) {
            inner = proxy.getTargetDataSource();
        }
        return inner;
    }
}
