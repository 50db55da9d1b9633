package org.pgbaton.publication;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import org.pgbaton.session.Sql;

/** The end of the WAL at some time. Immutable. */
public record WalEnd(String lsn, OffsetDateTime at) {
    public static WalEnd now(Connection connection, Sql sql) throws SQLException {
        return sql.all(
                        connection,
                        GapSql.WAL_END,
                        row -> new WalEnd(row.getString(1), row.getObject(2, OffsetDateTime.class)))
                .get(0);
    }
}
