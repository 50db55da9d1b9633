package org.pgbaton.spring.start;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.spring.transaction.SameDatabase;

/**
 * Fails if an address that was not the pool's own leads to another database than the pool: locks taken there would protect nothing here. Asks
 * each of them once, when the database is ready.
 */
public final class DirectAddressCheck implements Runnable {
    private final DataSource pool;
    private final DirectConnections direct;

    /** Of these two. */
    public DirectAddressCheck(DataSource pool, DirectConnections direct) {
        this.pool = pool;
        this.direct = direct;
    }

    @Override
    public void run() {
        try (Connection connection = direct.connect()) {
            if (!new SameDatabase(pool).has(connection)) {
                throw new TwoDatabasesException();
            }
        } catch (SQLException failed) {
            if (Fault.of(failed) != Fault.NO_PRIVILEGE) { // a server that does not tell who it is
                throw DatabaseException.of(
                        "compare the database of baton.datasource.url with that of the DataSource", failed);
            }
        }
    }
}
