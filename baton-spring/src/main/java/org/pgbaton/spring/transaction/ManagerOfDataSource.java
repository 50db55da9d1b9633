package org.pgbaton.spring.transaction;

import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;

/** Finds the transaction manager of a data source. */
public final class ManagerOfDataSource {
    private ManagerOfDataSource() {}

    /**
     * The application's own choice if there is one and it may fit; else the one that is known to be for the data source; else a new one, if
     * the application has none.
     *
     * @param chosen the only one, or the primary one; null if there is none or several
     */
    public static PlatformTransactionManager among(
            List<PlatformTransactionManager> all, @Nullable PlatformTransactionManager chosen, DataSource source) {
        if (chosen != null && !isOfAnother(chosen, source)) {
            return chosen;
        }
        List<PlatformTransactionManager> fitting =
                all.stream().filter(each -> isOf(each, source)).toList();
        if (fitting.size() == 1) {
            return fitting.get(0);
        }
        if (all.isEmpty()) {
            JdbcTransactionManager own = new JdbcTransactionManager(DataSources.withoutTransactionAwareness(source));
            EndedTransactions.reportedBy(own);
            return own;
        }
        throw new IllegalStateException("The application has " + all.size()
                + " transaction managers, and it is not clear which one is for Baton's data source: name it with"
                + " @BatonListener(transactionManager = …), or make it the primary one.");
    }

    private static boolean isOf(PlatformTransactionManager manager, DataSource source) {
        return manager instanceof ResourceTransactionManager ofResource
                && ofResource.getResourceFactory() instanceof DataSource theirs
                && DataSources.innermost(theirs) == DataSources.innermost(source);
    }

    private static boolean isOfAnother(PlatformTransactionManager manager, DataSource source) {
        return manager instanceof ResourceTransactionManager ofResource
                && ofResource.getResourceFactory() instanceof DataSource
                && !isOf(manager, source);
    }
}
