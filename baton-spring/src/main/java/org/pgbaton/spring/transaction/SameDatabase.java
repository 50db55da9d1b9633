package org.pgbaton.spring.transaction;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Whether a connection is one to Baton's database: for data sources that route, since a message that is written to another database would
 * never be read; and for addresses that were given beside the data source. Thread-safe.
 */
public final class SameDatabase {
    private static final String IDENTITY = """
            SELECT pg_catalog.concat(
              (SELECT system_identifier FROM pg_catalog.pg_control_system()), ' ',
              (SELECT oid FROM pg_catalog.pg_database WHERE datname OPERATOR(pg_catalog.=) pg_catalog.current_database()))""";

    private final DataSource own;
    private volatile @Nullable String identity;

    /**
     * Compares with this one.
     *
     * @param own always in Baton's database
     */
    public SameDatabase(DataSource own) {
        this.own = own;
    }

    /** Whether it is the same database of the same cluster; a replica of it counts as the same. */
    public boolean has(Connection connection) throws SQLException {
        String ours = identity;
        if (ours == null) {
            try (Connection one = own.getConnection()) {
                ours = identityOf(one);
                identity = ours;
            }
        }
        return ours.equals(identityOf(connection));
    }

    private static String identityOf(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery(IDENTITY)) {
            row.next();
            return String.valueOf(row.getString(1));
        }
    }
}
