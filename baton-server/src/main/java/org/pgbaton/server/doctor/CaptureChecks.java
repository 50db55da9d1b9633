package org.pgbaton.server.doctor;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.pgbaton.database.SchemaName;

/** Checks whether row changes can be captured, and the captures that exist. */
final class CaptureChecks {
    private static final String SETTINGS = """
            SELECT current_setting('max_replication_slots')::integer, (SELECT count(*) FROM pg_replication_slots),
                   current_setting('max_wal_senders')::integer, (SELECT count(*) FROM pg_stat_replication),
                   (SELECT rolreplication OR rolsuper FROM pg_roles WHERE rolname = current_user)
                     OR EXISTS (SELECT FROM pg_roles WHERE rolname = 'rds_replication' AND pg_has_role(oid, 'MEMBER')), current_user,
                   current_setting('max_slot_wal_keep_size')""";

    private static final String CAPTURES = """
            SELECT name, state, coalesce(problem, warning, ''), coalesce(retained_bytes, 0), gaps FROM ${schema}.capture_status ORDER BY name""";

    private static final String MAY_LOOK = """
            SELECT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                            WHERE n.nspname = '${name}' AND c.relname = 'capture_status'
                              AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'gaps')
                              AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT'))""";

    private static final long MUCH = 1L << 30;

    private final Connection connection;
    private final SchemaName schema;
    private final boolean wanted;
    private final List<Finding> findings;

    CaptureChecks(Connection connection, SchemaName schema, Purpose purpose, List<Finding> findings) {
        this.connection = connection;
        this.schema = schema;
        this.wanted = purpose == Purpose.CAPTURE;
        this.findings = findings;
    }

    void examine(String walLevel) throws SQLException {
        if (!walLevel.equals("logical") && wanted) {
            findings.add(
                    Finding.error(
                            "wal_level",
                            walLevel + ", so no row change can be captured",
                            "ALTER SYSTEM SET wal_level = 'logical', and restart the server; a managed service has a switch for it."));
            return;
        }
        if (!walLevel.equals("logical")) {
            findings.add(Finding.ok(
                    "wal_level",
                    walLevel + "; only capturing row changes would need 'logical' and a restart of the server"));
            return;
        }
        findings.add(Finding.ok("wal_level", "logical, so row changes can be captured"));
        List<String> captures = captures();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(SETTINGS)) {
            row.next();
            room("replication slots", "max_replication_slots", row.getInt(1), row.getInt(2));
            room("WAL senders", "max_wal_senders", row.getInt(3), row.getInt(4));
            replication(row.getBoolean(5), row.getString(6));
            if (!captures.isEmpty() && row.getString(7).equals("-1")) {
                findings.add(Finding.warn(
                        "max_slot_wal_keep_size",
                        "is not set: a capture that nobody runs would let the server keep WAL until its disk is full",
                        "ALTER SYSTEM SET max_slot_wal_keep_size = '50GB', or what the disk can spare, and reload."));
            }
        }
    }

    /** Only those who capture are told how to get the right. Some managed services have a role for it instead of the attribute. */
    private void replication(boolean may, String role) {
        if (may) {
            return;
        }
        if (wanted) {
            findings.add(Finding.error(
                    "replication",
                    role + " may not replicate",
                    "ALTER ROLE " + role
                            + " REPLICATION, as a superuser; a managed service has a role to grant instead."));
        } else {
            findings.add(Finding.ok("replication", role + " may not replicate, which only captures need"));
        }
    }

    private void room(String what, String setting, int most, int used) {
        if (used < most) {
            findings.add(Finding.ok(what, used + " of " + most + " are used"));
        } else {
            findings.add(Finding.warn(
                    what,
                    "all " + most + " are used, so no further capture can begin",
                    "Raise " + setting + " and restart the server, or drop a slot that nobody uses."));
        }
    }

    /** Checks all captures, and returns their names. */
    private List<String> captures() throws SQLException {
        List<String> names = new ArrayList<>();
        if (!exists()) {
            return names;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(schema.in(CAPTURES))) {
            while (row.next()) {
                names.add(row.getString(1));
                judge(row.getString(1), row.getString(2), row.getString(3), row.getLong(4));
                gaps(row.getString(1), row.getLong(5));
            }
        }
        return names;
    }

    private void judge(String name, String state, String problem, long retained) {
        if (state.equals("lost") || state.equals("stopped")) {
            findings.add(Finding.warn(
                    "capture",
                    "'" + name + "' is " + state + (problem.isEmpty() ? "" : ": " + problem),
                    "See 'baton captures show " + name + "'."));
        } else if (!problem.isEmpty()) {
            findings.add(Finding.warn("capture", problem, "See 'baton captures show " + name + "'."));
        } else if (retained > MUCH) {
            findings.add(Finding.warn(
                    "capture",
                    "'" + name + "' is " + state + ", and the server keeps " + (retained >> 20) + " MiB of WAL for it",
                    "Run it, resume it, or 'baton captures drop " + name + "'."));
        } else {
            findings.add(Finding.ok("capture", "'" + name + "' is " + state));
        }
    }

    private void gaps(String name, long gaps) {
        if (gaps > 0) {
            findings.add(Finding.warn(
                    "capture",
                    "'" + name + "' has " + gaps + (gaps == 1 ? " gap" : " gaps")
                            + ": changes of that time may be missing from its log",
                    "See 'baton captures show " + name + "', send the rows again with 'baton captures snapshot " + name
                            + "', then 'baton captures settle " + name + "'."));
        }
    }

    /** Whether this schema has captures with gaps, which older ones have not, and whether this role may read them. */
    private boolean exists() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(schema.in(MAY_LOOK))) {
            row.next();
            return row.getBoolean(1);
        }
    }
}
