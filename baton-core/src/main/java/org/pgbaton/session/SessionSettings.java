package org.pgbaton.session;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;

/**
 * What a session asks of its backend, and the proof that it got it. A setting that does not stick means that somebody
 * stands between us and the backend, and then the locks would not be ours either.
 */
final class SessionSettings {
    /** A backend that waits or works looks at its socket this often; otherwise it outlives its client. */
    private static final String CONNECTION_CHECK = "client_connection_check_interval";

    // Of several arguments, unnest is always PostgreSQL's own: it is a part of the grammar.
    private static final String SET = """
            SELECT pg_catalog.set_config(name, value, false) FROM unnest(?, ?) AS wanted (name, value)
             WHERE pg_catalog.current_setting(name, true) IS NOT NULL""";

    /** Left is what is in force; right, for this one statement, is what was wanted, in PostgreSQL's spelling. */
    private static final String NOT_IN_FORCE = """
            SELECT name FROM unnest(?, ?) AS wanted (name, value)
             WHERE pg_catalog.current_setting(name, true) IS NOT NULL
               AND pg_catalog.current_setting(name) OPERATOR(pg_catalog.<>) pg_catalog.set_config(name, value, true)""";

    private SessionSettings() {}

    static void apply(Connection connection, Lease lease, String who) throws SQLException {
        Map<String, String> wanted = wanted(lease, who);
        try {
            set(connection, wanted);
        } catch (SQLException refused) {
            // A server whose platform lacks the system call accepts only 0; takeover is slower there.
            if (Fault.of(refused) != Fault.INVALID_SETTING || wanted.remove(CONNECTION_CHECK) == null) {
                throw refused;
            }
            set(connection, wanted);
        }
        requireInForce(connection, wanted);
    }

    private static Map<String, String> wanted(Lease lease, String who) {
        String length = lease.length().toMillis() + "ms";
        Map<String, String> wanted = new LinkedHashMap<>();
        // First: nothing that somebody else put into a schema of the user's search_path is ever run on a session.
        wanted.put("search_path", "pg_catalog, pg_temp");
        wanted.put("application_name", applicationName(who));
        // The only thing that frees the locks of a frozen process: its kernel goes on answering keepalives.
        wanted.put("idle_session_timeout", length);
        // It does not fire inside a transaction; this one does.
        wanted.put("idle_in_transaction_session_timeout", length);
        wanted.put("statement_timeout", length);
        wanted.put("lock_timeout", "0");
        wanted.put("transaction_timeout", "0"); // PostgreSQL 17 and later
        wanted.put(CONNECTION_CHECK, "20ms");
        wanted.put("tcp_user_timeout", length);
        wanted.put("tcp_keepalives_idle", seconds(lease));
        wanted.put("tcp_keepalives_interval", "1");
        wanted.put("tcp_keepalives_count", "3");
        wanted.put("default_transaction_isolation", "read committed");
        wanted.put("default_transaction_read_only", "off");
        // An epoch that a crash of the server forgets could be given out twice.
        wanted.put("synchronous_commit", "on");
        return wanted;
    }

    private static void set(Connection connection, Map<String, String> wanted) throws SQLException {
        try (PreparedStatement set = prepare(connection, SET, wanted)) {
            set.execute();
        }
    }

    private static void requireInForce(Connection connection, Map<String, String> wanted) throws SQLException {
        // Over a Unix socket the server reports 0 for everything about TCP.
        wanted.keySet().removeIf(name -> name.startsWith("tcp_"));
        try (PreparedStatement compare = prepare(connection, NOT_IN_FORCE, wanted);
                ResultSet row = compare.executeQuery()) {
            if (row.next()) {
                throw new DatabaseException(
                        Fault.UNSUITABLE,
                        "The setting " + row.getString(1) + " did not stick on this connection: " + Pooler.ADVICE);
            }
        }
    }

    private static PreparedStatement prepare(Connection connection, String sql, Map<String, String> settings)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        statement.setArray(1, connection.createArrayOf("text", settings.keySet().toArray()));
        statement.setArray(2, connection.createArrayOf("text", settings.values().toArray()));
        return statement;
    }

    /** Keepalives must not free the locks before the lease is over: they start when it is. In whole seconds. */
    private static String seconds(Lease lease) {
        return Long.toString(lease.length().plusMillis(999).toSeconds());
    }

    /** PostgreSQL cuts names at 63 bytes and replaces what is not plain ASCII; do it first, so that it reads back. */
    static String applicationName(String who) {
        String plain = who.replaceAll("[^ -~]", "?");
        return plain.length() <= 63 ? plain : plain.substring(0, 63);
    }
}
