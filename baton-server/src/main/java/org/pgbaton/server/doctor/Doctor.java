package org.pgbaton.server.doctor;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.pgbaton.Baton;
import org.pgbaton.database.BatonException;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.DatabaseUrl;
import org.pgbaton.database.Fault;
import org.pgbaton.database.SchemaName;
import org.pgbaton.schema.Migration;
import org.pgbaton.schema.SchemaException;

/** Examines a database. Each check is a method; the checks of logs and captures have classes of their own. They change nothing. */
final class Doctor {
    private static final int OLDEST = 14;
    private static final int NEWEST = 18;

    private final DatabaseUrl url;
    private final SchemaName schema;
    private final Purpose purpose;
    private final List<Finding> findings = new ArrayList<>();

    /** @param purpose what the role is to be used for; what it does not need is not looked at */
    Doctor(DatabaseUrl url, String schema, Purpose purpose) {
        this.url = url;
        this.schema = new SchemaName(schema);
        this.purpose = purpose;
    }

    List<Finding> examine() {
        try (Connection connection = url.connector().connect()) {
            // Functions that others have put into a schema of the search path must not be called.
            execute(connection, "SET search_path = pg_catalog, pg_temp");
            version(connection);
            if (replica(connection)) {
                return findings;
            }
            durability(connection);
            if (purpose.holdsSessions()) {
                session();
                timeline(connection);
                connectionCheck(connection);
                keepalives(connection);
                deadlockTimeout(connection);
            }
            locks(connection);
            connections(connection);
            oldTransactions(connection);
            clock(connection);
            schema(connection);
            if (purpose != Purpose.APPEND) {
                new CaptureChecks(connection, schema, purpose, findings).examine(setting(connection, "wal_level"));
            }
        } catch (SQLException failure) {
            throw DatabaseException.of("examine the database", failure);
        }
        return findings;
    }

    private void version(Connection connection) throws SQLException {
        int major = connection.getMetaData().getDatabaseMajorVersion();
        String found = connection.getMetaData().getDatabaseProductVersion();
        if (major < OLDEST) {
            findings.add(Finding.error(
                    "version", "PostgreSQL " + found, "Upgrade: Baton needs PostgreSQL " + OLDEST + " or later."));
        } else if (major > NEWEST) {
            findings.add(Finding.warn(
                    "version",
                    "PostgreSQL " + found,
                    "Baton is tested with " + OLDEST + " to " + NEWEST + "; look for a newer Baton."));
        } else {
            findings.add(Finding.ok("version", "PostgreSQL " + found));
        }
    }

    private boolean replica(Connection connection) throws SQLException {
        if (!"f".equals(one(connection, "SELECT pg_is_in_recovery()"))) {
            findings.add(Finding.error(
                    "primary",
                    "this server is a replica (in recovery)",
                    "Point Baton at the primary; with several hosts in the URL add targetServerType=primary."));
            return true;
        }
        findings.add(Finding.ok("primary", "this server is the primary"));
        return false;
    }

    /** Opens a session as a leader does, and checks that it has what a leader needs. */
    private void session() {
        try {
            Baton.builder(url).schema(schema.name()).checkSession();
            findings.add(
                    Finding.ok("session", "direct connection, session settings stick, no pooler in transaction mode"));
        } catch (BatonException refused) {
            findings.add(Finding.error(
                    "session",
                    refused.getMessage(),
                    "Do what the sentence above says: without a session of its own Baton cannot hold a lock."));
        }
    }

    private void durability(Connection connection) throws SQLException {
        boolean fsync = setting(connection, "fsync").equals("on");
        if (!fsync) {
            findings.add(Finding.error(
                    "fsync", "off: a crash of the server can lose or corrupt everything", "Set fsync = on."));
        }
        if (setting(connection, "full_page_writes").equals("off")) {
            findings.add(Finding.warn(
                    "full_page_writes",
                    "off: a crash can leave torn pages unless the file system prevents them",
                    "Set full_page_writes = on."));
        }
        String commit = setting(connection, "synchronous_commit");
        if (commit.equals("off")) {
            findings.add(Finding.warn(
                    "synchronous_commit",
                    "off by default here: commits reported as done can be lost in a crash",
                    "Set it to on for what must not be lost. Baton's own sessions turn it on."));
        } else if (fsync) {
            findings.add(Finding.ok("durability", "fsync on, synchronous_commit " + commit));
        }
    }

    private void timeline(Connection connection) {
        String what = "SELECT (SELECT system_identifier FROM pg_control_system()) || '/' "
                + "|| substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)";
        try {
            findings.add(Finding.ok("timeline", one(connection, what)));
        } catch (SQLException refused) {
            findings.add(Finding.warn(
                    "timeline",
                    "this server does not tell its timeline (" + refused.getMessage() + ")",
                    "After a failover that loses transactions, a token of the old primary could be accepted once. Use "
                            + "synchronous replication, or stop the leaders before a forced promotion."));
        }
    }

    private void connectionCheck(Connection connection) throws SQLException {
        try {
            execute(connection, "SET client_connection_check_interval = '20ms'");
            findings.add(Finding.ok("takeover after a crash", "the server notices a dead client within 20 ms"));
        } catch (SQLException unsupported) {
            findings.add(
                    Finding.warn(
                            "takeover after a crash",
                            "this server cannot look after its clients (client_connection_check_interval)",
                            "A leader that dies in the middle of a statement keeps the lock until that statement ends; nothing is lost."));
        } finally {
            execute(connection, "RESET client_connection_check_interval");
        }
    }

    private void keepalives(Connection connection) throws SQLException {
        String idle = setting(connection, "tcp_keepalives_idle");
        findings.add(Finding.ok(
                "keepalives",
                "server default " + (idle.equals("0") ? "(Unix socket)" : idle + " s idle")
                        + "; Baton's sessions set their own, and free their locks after the lease in any case"));
    }

    private void deadlockTimeout(Connection connection) throws SQLException {
        long millis =
                Long.parseLong(one(connection, "SELECT setting FROM pg_settings WHERE name = 'deadlock_timeout'"));
        if (millis < 50) {
            findings.add(Finding.warn(
                    "deadlock_timeout",
                    millis + " ms: standbys wait in slices shorter than this, so they ask " + 1000 / Math.max(1, millis)
                            + " times per second or more",
                    "Raise deadlock_timeout to 200 ms or more (default 1 s)."));
        } else {
            findings.add(Finding.ok(
                    "deadlock_timeout",
                    millis + " ms; standbys wait in slices of " + Math.min(1000, millis * 8 / 10) + " ms"));
        }
    }

    /** A writer holds a lock for each lane of a log that it wrote to in its transaction. Others need locks, too. */
    private void locks(Connection connection) throws SQLException {
        long room = Long.parseLong(one(connection, """
                SELECT current_setting('max_locks_per_transaction')::bigint
                     * (current_setting('max_connections')::bigint + current_setting('max_prepared_transactions')::bigint)"""));
        long used = Long.parseLong(one(connection, "SELECT count(*) FROM pg_locks"));
        long connections = Long.parseLong(setting(connection, "max_connections"));
        long lanes = lanes(connection);
        String found =
                used + " of about " + room + " locks in use; Baton needs 2 for each leader and 1 for each standby"
                        + (lanes == 0
                                ? ""
                                : "; writers at worst " + connections + " connections × " + lanes + " lanes = "
                                        + connections * lanes);
        if (used * 2 > room || connections * lanes * 2 > room) {
            findings.add(Finding.warn(
                    "lock budget",
                    found,
                    "Raise max_locks_per_transaction"
                            + (lanes == 0 ? "" : " (" + lanes * 2 + " leaves half of them to others)")
                            + " and restart the server."));
        } else {
            findings.add(Finding.ok("lock budget", found));
        }
    }

    /** The number of lanes of the log that has most; 0 if there is none that this role may see. */
    private long lanes(Connection connection) throws SQLException {
        boolean visible = "t".equals(one(connection, schema.in("""
                SELECT coalesce(has_schema_privilege(to_regnamespace('${schema}')::oid, 'USAGE'), false)"""))) && "t".equals(one(connection, schema.in("""
                SELECT coalesce(has_table_privilege(to_regclass('${schema}.log')::oid, 'SELECT'), false)""")));
        return visible
                ? Long.parseLong(one(connection, schema.in("SELECT coalesce(max(lanes), 0) FROM ${schema}.log")))
                : 0;
    }

    private void connections(Connection connection) throws SQLException {
        long most = Long.parseLong(setting(connection, "max_connections"));
        long used = Long.parseLong(
                one(connection, "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"));
        String found = used + " of " + most + " connections in use; Baton needs 1 for each leader and each standby";
        if (used * 10 > most * 8) {
            findings.add(Finding.warn(
                    "connections", found, "Raise max_connections, or let standbys back off (they then hold none)."));
        } else {
            findings.add(Finding.ok("connections", found));
        }
    }

    /** A transaction that stays open, or that was prepared and forgotten, holds back VACUUM, so that tables grow. */
    private void oldTransactions(Connection connection) throws SQLException {
        String oldest = one(connection, """
                SELECT string_agg(who || ' (' || extract(epoch FROM age)::bigint / 60 || ' min)', ', ' ORDER BY age DESC)
                  FROM (SELECT 'backend ' || pid AS who, clock_timestamp() - xact_start AS age FROM pg_stat_activity
                         WHERE backend_type = 'client backend' AND backend_xmin IS NOT NULL
                        UNION ALL
                        SELECT 'prepared ' || gid, clock_timestamp() - prepared FROM pg_prepared_xacts) AS transactions
                 WHERE age > interval '10 minutes'""");
        if (oldest.equals("null")) {
            findings.add(Finding.ok("old transactions", "none is older than 10 minutes"));
        } else {
            findings.add(Finding.warn(
                    "old transactions",
                    oldest + " hold back VACUUM in the whole database",
                    "End them: commit, pg_terminate_backend(…), COMMIT PREPARED or ROLLBACK PREPARED."));
        }
    }

    private void clock(Connection connection) throws SQLException {
        Instant before = Instant.now();
        Instant there;
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT clock_timestamp()")) {
            row.next();
            there = row.getObject(1, OffsetDateTime.class).toInstant();
        }
        Instant middle = before.plus(Duration.between(before, Instant.now()).dividedBy(2));
        double off = Duration.between(middle, there).toMillis() / 1000.0;
        String found = String.format(Locale.ROOT, "the server's clock is %+.3f s from ours", off);
        if (Math.abs(off) > 2) {
            findings.add(Finding.warn(
                    "clock",
                    found,
                    "Nothing breaks, Baton uses the monotonic clock; but times shown will look odd. Run NTP."));
        } else {
            findings.add(Finding.ok("clock", found));
        }
    }

    private void schema(Connection connection) throws SQLException {
        int newest = Migration.all().size();
        List<Migration> pending;
        try {
            pending = Baton.builder(url).schema(schema.name()).migrations().pending();
        } catch (DatabaseException refused) {
            if (refused.fault() != Fault.NO_PRIVILEGE) {
                throw refused;
            }
            findings.add(Finding.error(
                    "privileges", "this role cannot see what is in the schema '" + schema + "'", grant()));
            return;
        } catch (SchemaException misfit) {
            findings.add(Finding.error("schema", misfit.getMessage(), "Use a Baton that fits the schema."));
            return;
        }
        if (pending.isEmpty()) {
            findings.add(Finding.ok("schema", "'" + schema + "' is at step " + newest));
            privileges(connection);
            return;
        }
        boolean mayCreate = "t".equals(one(connection, schema.in("""
                SELECT CASE WHEN to_regnamespace('${schema}') IS NULL THEN has_database_privilege(current_database(), 'CREATE')
                            ELSE has_schema_privilege(to_regnamespace('${schema}')::oid, 'CREATE') END""")));
        if (mayCreate) {
            findings.add(Finding.warn(
                    "schema",
                    "'" + schema + "' lacks " + pending.size() + " of " + newest + " steps",
                    "Run 'baton migrate', or let the first process do it at start."));
        } else {
            findings.add(Finding.error(
                    "schema",
                    "'" + schema + "' lacks " + pending.size() + " of " + newest
                            + " steps, and this role may not create them",
                    "Let an owner run 'baton migrate', then: " + grant()));
        }
    }

    private void privileges(Connection connection) throws SQLException {
        if (new PrivilegeChecks(connection, schema, purpose, findings).examine(grant()) && purpose != Purpose.APPEND) {
            foreignLocks(connection);
            new LogChecks(connection, schema, findings).examine();
        }
    }

    /** Every role that may connect can take locks of Baton. */
    private void foreignLocks(Connection connection) throws SQLException {
        String holders = one(
                connection,
                schema.in("SELECT string_agg(DISTINCT holder || ' holds ' || what, '; ') FROM ${schema}.foreign_lock"));
        if (holders.equals("null")) {
            findings.add(Finding.ok("foreign locks", "nobody else holds locks of Baton"));
        } else {
            findings.add(Finding.error(
                    "foreign locks",
                    holders,
                    "End that session, for instance with pg_terminate_backend, and find out why it took them: meanwhile lanes "
                            + "cannot be owned, or writers wait."));
        }
    }

    private String grant() {
        return "Run the script that 'baton migrate --print-roles' prints, then GRANT " + schema + "_" + purpose.role()
                + " TO " + url.user() + "."
                + (purpose == Purpose.APPEND
                        ? " For one log alone: SELECT " + schema + ".grant_append('LOG', '" + url.user()
                                + "'), as the owner."
                        : "");
    }

    private static String setting(Connection connection, String name) throws SQLException {
        return one(connection, "SELECT current_setting('" + name + "')");
    }

    private static String one(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return String.valueOf(row.getString(1));
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
