package org.pgbaton.server.doctor;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.pgbaton.database.SchemaName;

/** Checks whether a role has the rights that its purpose needs. Never advises more than those. */
final class PrivilegeChecks {
    /** Each row: whether the role has the right, and the right in words. */
    private static final String WORKER = """
            SELECT has_table_privilege('${schema}.leadership', wanted), wanted || ' on ${name}.leadership'
              FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE']) AS wanted
            UNION ALL
            SELECT has_table_privilege('${schema}.checkpoint', wanted), wanted || ' on ${name}.checkpoint'
              FROM unnest(ARRAY['SELECT', 'UPDATE']) AS wanted""";

    private static final String READ = """
            SELECT has_table_privilege('${schema}.' || wanted, 'SELECT'), 'SELECT on ${name}.' || wanted
              FROM unnest(ARRAY['leader_status', 'subscription_status', 'capture_status', 'parked']) AS wanted""";

    /** One log is enough: services may be allowed to write to some and not to others. */
    private static final String APPEND = """
            SELECT coalesce(bool_or(has_any_column_privilege(relation, 'INSERT')), false), 'INSERT on any log'
              FROM ${schema}.log""";

    private static final String MAY_WRITE = """
            SELECT name FROM ${schema}.log WHERE has_any_column_privilege(relation, 'INSERT') ORDER BY name""";

    private final Connection connection;
    private final SchemaName schema;
    private final Purpose purpose;
    private final List<Finding> findings;

    PrivilegeChecks(Connection connection, SchemaName schema, Purpose purpose, List<Finding> findings) {
        this.connection = connection;
        this.schema = schema;
        this.purpose = purpose;
        this.findings = findings;
    }

    /** @return whether nothing is missing */
    boolean examine(String grant) throws SQLException {
        List<String> missing = missing();
        if (!missing.isEmpty()) {
            findings.add(Finding.error("privileges", "this role may not " + String.join(", ", missing), grant));
            return false;
        }
        String may = switch (purpose) {
            case APPEND -> "this role may append to " + String.join(", ", names(MAY_WRITE));
            case READ -> "this role may look at everything";
            case WORKER, CAPTURE -> "this role may lead";
        };
        findings.add(Finding.ok("privileges", may));
        return true;
    }

    private List<String> missing() throws SQLException {
        String rights = switch (purpose) {
            case APPEND -> APPEND;
            case READ -> READ;
            case WORKER, CAPTURE -> WORKER;
        };
        List<String> missing = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(schema.in(rights))) {
            while (row.next()) {
                if (!row.getBoolean(1)) {
                    missing.add(row.getString(2));
                }
            }
        }
        return missing;
    }

    private List<String> names(String sql) throws SQLException {
        List<String> names = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(schema.in(sql))) {
            while (row.next()) {
                names.add("'" + row.getString(1) + "'");
            }
        }
        return names;
    }
}
