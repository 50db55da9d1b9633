package org.pgbaton.server.doctor;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.pgbaton.database.SchemaName;

/** Checks logs, subscriptions and adopted tables. Needs a schema that is up to date, and a role that may read it. */
final class LogChecks {
    /** After a restore a sequence may be behind its log, and would give out positions a second time. */
    private static final String SEQUENCES = """
            SELECT l.name, l.sequence::text, coalesce(pg_sequence_last_value(l.sequence), 0),
                   coalesce((SELECT max(c.position) FROM ${schema}.checkpoint c JOIN ${schema}.subscription s
                               ON s.id = c.subscription WHERE s.log = l.name), 0)
              FROM ${schema}.log l ORDER BY l.name""";

    private static final String UNSAFE = """
            SELECT l.name, u.grave, u.problem, u.remedy FROM ${schema}.log l, ${schema}.unsafe(l.name) u ORDER BY l.name""";

    /** Logs whose row security does not concern the current role, but may concern others. */
    private static final String ROW_SECURITY = """
            SELECT l.name FROM ${schema}.log l JOIN pg_class c ON c.oid = l.relation
             WHERE c.relrowsecurity AND NOT row_security_active(c.oid) ORDER BY l.name""";

    private static final String ISOLATION = """
            SELECT current_setting('default_transaction_isolation')
             WHERE current_setting('default_transaction_isolation') <> 'read committed'""";

    private static final String OLD_WRITERS = """
            SELECT 'log ' || quote_literal(log) || ' waits for ' || coalesce(nullif(application_name, ''), 'a program without a name')
                     || coalesce(' (process ' || pid || ', ' || state || ', open for ' || date_trunc('second', age) || ')',
                                 ' (a prepared transaction)')
                     || ' in ' || count(*) || CASE count(*) WHEN 1 THEN ' lane' ELSE ' lanes' END
              FROM ${schema}.log_writers
             WHERE age IS NULL OR age > interval '1 minute'
             GROUP BY log, application_name, pid, state, age, virtualtransaction ORDER BY age DESC NULLS FIRST LIMIT 10""";

    private static final String KEPT_FOR_EVER = """
            SELECT quote_literal(name) FROM ${schema}.log
             WHERE retention IS NULL AND coalesce(pg_sequence_last_value(sequence), 0) > 0 ORDER BY name""";

    private static final String STOPPED = """
            SELECT quote_literal(name) || ' is ' || state || coalesce(': ' || note, '')
              FROM ${schema}.subscription WHERE live AND state IN ('stopped', 'paused') ORDER BY name LIMIT 10""";

    private static final String FORGOTTEN = """
            SELECT quote_literal(name) || CASE WHEN target = '' THEN '' ELSE ', target ' || quote_literal(target) END
                     || ' (' || lag_positions || ' positions behind)'
              FROM ${schema}.subscription_status
             WHERE members = 0 AND lag_positions > 0 AND state <> 'retired' ORDER BY name LIMIT 10""";

    private static final String PARKED = """
            SELECT s.name, count(*)
              FROM ${schema}.parked p JOIN ${schema}.subscription s ON s.id = p.subscription
             WHERE p.state = 'parked' GROUP BY s.name ORDER BY s.name LIMIT 10""";

    private static final String ON_THE_WAY = """
            SELECT a.relation::text || ' is ' || a.state || ' since ' || date_trunc('second', a.since) || ', '
                     || (SELECT count(*) FROM ${schema}.adoption_waiting w WHERE w.relation = a.relation) || ' new rows wait'
              FROM ${schema}.adoption a WHERE a.state <> 'adopted' ORDER BY a.since LIMIT 10""";

    private final Connection connection;
    private final SchemaName schema;
    private final List<Finding> findings;

    LogChecks(Connection connection, SchemaName schema, List<Finding> findings) {
        this.connection = connection;
        this.schema = schema;
        this.findings = findings;
    }

    void examine() throws SQLException {
        sequences();
        logs();
        retention();
        writers();
        subscriptions();
        parked();
        adoptions();
    }

    private void sequences() throws SQLException {
        int found = findings.size();
        for (List<String> log : rows(SEQUENCES, 4)) {
            long given = Long.parseLong(log.get(2));
            long written =
                    Long.parseLong(rows("SELECT coalesce(max(position), 0) FROM ${schema}.\"" + log.get(0) + '"', 1)
                            .get(0)
                            .get(0));
            long reached = Math.max(written, Long.parseLong(log.get(3)));
            if (given < reached) {
                findings.add(Finding.error(
                        "positions",
                        "the sequence of log '" + log.get(0) + "' is at " + given + ", but position " + reached
                                + " was given out before: new messages would be skipped",
                        "Run SELECT setval('" + log.get(1) + "', " + reached + "), before anybody writes."));
            }
        }
        if (findings.size() == found) {
            findings.add(Finding.ok("positions", "no sequence is behind its log"));
        }
    }

    /** Settings of logs that others may have changed, and that Baton depends on. */
    private void logs() throws SQLException {
        int found = findings.size();
        for (List<String> each : rows(UNSAFE, 4)) {
            String problem = "log '" + each.get(0) + "': " + each.get(2);
            findings.add(
                    each.get(1).equals("t")
                            ? Finding.error("logs", problem, each.get(3))
                            : Finding.warn("logs", problem, each.get(3)));
        }
        for (String log : column(ROW_SECURITY)) {
            findings.add(Finding.warn(
                    "logs",
                    "log '" + log
                            + "': row security is on; a role that is subject to it would see only some of the messages, and is refused",
                    "Switch it off with ALTER TABLE … DISABLE ROW LEVEL SECURITY, or let Baton's roles BYPASSRLS."));
        }
        for (String isolation : column(ISOLATION)) {
            findings.add(
                    Finding.warn(
                            "logs",
                            "transactions are " + isolation
                                    + " by default; a projection in such a transaction of the application is refused",
                            "Run its transactions READ COMMITTED, or ALTER ROLE … SET default_transaction_isolation = 'read committed'."));
        }
        if (findings.size() == found) {
            findings.add(Finding.ok("logs", "sequences, triggers, indexes and row security are as they should be"));
        }
    }

    private void retention() throws SQLException {
        List<String> kept = column(KEPT_FOR_EVER);
        if (kept.isEmpty()) {
            findings.add(Finding.ok("retention", "no log with messages keeps them for ever"));
        } else {
            findings.add(Finding.warn(
                    "retention",
                    String.join(", ", kept) + (kept.size() == 1 ? " keeps its" : " keep their")
                            + " messages for ever, because no retention is set",
                    "'baton logs retention NAME 30d' removes older ones that every subscription has passed; leave it if they "
                            + "are to be kept."));
        }
    }

    private void writers() throws SQLException {
        List<String> old = column(OLD_WRITERS);
        if (old.isEmpty()) {
            findings.add(
                    Finding.ok("open writers", "no transaction that wrote to a log is open for more than a minute"));
        } else {
            findings.add(Finding.warn(
                    "open writers",
                    String.join("; ", old),
                    "Readers wait there, since messages with lower positions may still come. Commit, or end it: "
                            + "pg_terminate_backend(…), COMMIT PREPARED or ROLLBACK PREPARED."));
        }
    }

    private void subscriptions() throws SQLException {
        List<String> stopped = column(STOPPED);
        if (!stopped.isEmpty()) {
            findings.add(Finding.warn(
                    "subscriptions",
                    String.join("; ", stopped),
                    "Remove the cause, then 'baton subscriptions resume NAME'."));
        }
        List<String> forgotten = column(FORGOTTEN);
        if (!forgotten.isEmpty()) {
            findings.add(
                    Finding.warn(
                            "subscriptions",
                            "nobody runs " + String.join(", ", forgotten),
                            "Start its program; or, if it has another name now, 'baton subscriptions delete NAME': it holds back retention."));
        }
        if (stopped.isEmpty() && forgotten.isEmpty()) {
            findings.add(Finding.ok("subscriptions", "none has stopped, none is behind without anybody running it"));
        }
    }

    private void parked() throws SQLException {
        List<List<String>> parked = rows(PARKED, 2);
        if (parked.isEmpty()) {
            findings.add(Finding.ok("parked keys", "none waits for an operator"));
        } else {
            findings.add(Finding.warn(
                    "parked keys",
                    String.join(
                            ", ",
                            parked.stream()
                                    .map(each -> each.get(1) + " of '" + each.get(0) + "'")
                                    .toList()),
                    "See why with 'baton parked list', then 'baton parked retry' or 'baton parked skip'."));
        }
    }

    private void adoptions() throws SQLException {
        List<String> onTheWay = column(ON_THE_WAY);
        if (!onTheWay.isEmpty()) {
            findings.add(
                    Finding.warn(
                            "adopted tables",
                            String.join("; ", onTheWay),
                            "Nobody sends what waits. Run 'baton logs adopt TABLE' again to finish it, or with --undo to go back."));
        }
    }

    private List<String> column(String sql) throws SQLException {
        return rows(sql, 1).stream().map(row -> row.get(0)).toList();
    }

    private List<List<String>> rows(String sql, int columns) throws SQLException {
        List<List<String>> all = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(schema.in(sql))) {
            while (row.next()) {
                List<String> one = new ArrayList<>();
                for (int i = 1; i <= columns; i++) {
                    one.add(String.valueOf(row.getString(i)));
                }
                all.add(one);
            }
        }
        return all;
    }
}
