package org.pgbaton.spring.transaction;

import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

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

    /** Whether its connections may be to different databases. */
    public static boolean isRouting(DataSource source) {
        return innermost(source) instanceof AbstractRoutingDataSource;
    }

    /**
     * The data source for Baton's own work, which always has to be in the same database: of one that routes, its default target, or its only
     * one.
     *
     * @throws UnclearDataSourceException if it routes, and it is not clear to which database Baton belongs
     */
    public static DataSource forOwnWork(DataSource source) {
        if (!(innermost(source) instanceof AbstractRoutingDataSource routing)) {
            return withoutTransactionAwareness(source);
        }
        DataSource target = routing.getResolvedDefaultDataSource();
        if (target == null && routing.getResolvedDataSources().size() == 1) {
            target = routing.getResolvedDataSources().values().iterator().next();
        }
        if (target == null) {
            throw new UnclearDataSourceException(
                    "The DataSource routes to several databases and has no default target, so it is"
                            + " not clear in which of them Baton's tables are.");
        }
        return withoutTransactionAwareness(target);
    }
}
