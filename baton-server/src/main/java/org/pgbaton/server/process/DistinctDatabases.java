package org.pgbaton.server.process;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.server.command.ChosenDatabase;
import org.pgbaton.server.serve.BatonYaml;

/**
 * The databases that this process serves under names. Refuses one that is served under another name already, since a host can be written in
 * several ways: each relay would run twice, and with Kafka each half would count for itself. Thread-safe.
 */
final class DistinctDatabases {
    private static final String SERVER_AND_DATABASE = """
            SELECT EXTRACT(epoch FROM pg_catalog.pg_postmaster_start_time())::pg_catalog.text, oid
            FROM pg_catalog.pg_database WHERE datname OPERATOR(pg_catalog.=) pg_catalog.current_database()""";
    private static final String SYSTEM = "SELECT system_identifier FROM pg_catalog.pg_control_system()";
    private static final String FORBIDDEN = "42501";

    private final Map<String, Identity> known = new HashMap<>(); // guarded by this

    /**
     * Which schema of which database of which server.
     *
     * @param system null if the role may not read it
     * @param started when the server was: a copy of a server's files has the same system identifier and is another database
     */
    private record Identity(@Nullable String system, String started, long database, String schema) {
        boolean isSame(Identity other) {
            return started.equals(other.started)
                    && database == other.database
                    && schema.equals(other.schema)
                    && (system == null || other.system == null || Objects.equals(system, other.system));
        }
    }

    /**
     * @param part what is to run on it
     * @throws org.pgbaton.server.config.ConfigurationException if it has another name already
     */
    void require(String name, BatonYaml part, ChosenDatabase chosen) {
        Identity identity = identity(chosen);
        synchronized (this) {
            known.forEach((other, theirs) -> {
                if (!other.equals(name) && theirs.isSame(identity)) {
                    throw part.sameDatabase(other);
                }
            });
            known.put(name, identity);
        }
    }

    private static Identity identity(ChosenDatabase chosen) {
        try (Connection connection = chosen.sessions().connector().connect();
                Statement statement = connection.createStatement()) {
            String system = system(statement);
            try (ResultSet row = statement.executeQuery(SERVER_AND_DATABASE)) {
                row.next();
                return new Identity(system, row.getString(1), row.getLong(2), chosen.schema());
            }
        } catch (SQLException failure) {
            throw DatabaseException.of("compare the database with the others", failure);
        }
    }

    private static @Nullable String system(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery(SYSTEM)) {
            row.next();
            return row.getString(1);
        } catch (SQLException refused) {
            if (FORBIDDEN.equals(refused.getSQLState())) {
                return null;
            }
            throw refused;
        }
    }
}
