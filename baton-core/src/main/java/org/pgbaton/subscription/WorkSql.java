package org.pgbaton.subscription;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.database.SchemaName;
import org.pgbaton.log.Message;
import org.pgbaton.session.Failpoint;

/**
 * What a unit of work says to the database, besides what its handler says. It runs with the search_path of the handler, so
 * everything is named with its schema; only {@code unnest} of several arrays is always PostgreSQL's, and has no other name.
 */
final class WorkSql {
    private static final String BEGIN = "SELECT isolation, here FROM ${schema}.begin_work(?, ?)";
    private static final String BEGIN_FOR = "SELECT isolation, here FROM ${schema}.begin_work(?, ?, ?, ?)";
    private static final String CLOSE =
            "SELECT ${schema}.close_work(?, ?, ?, ?::pg_catalog.int8::pg_catalog.oid, ?, ?, ?, ?)";
    private static final String FENCE = "SELECT ${schema}.fence_work(?, ?, ?, ?, ?)";
    /** And leaves them deferred: what is set in a subtransaction goes with it. One round trip. */
    private static final String CHECK_DEFERRED =
            "SAVEPOINT baton_check; SET CONSTRAINTS ALL IMMEDIATE; ROLLBACK TO SAVEPOINT baton_check";

    private static final String PARK = "SELECT ${schema}.park(?, ?, ?, ?, ?, ?)";
    private static final String PASS_OVER = "SELECT ${schema}.pass_over(?, ?, ?, ?)";
    private static final String SET_ASIDE = "SELECT ${schema}.set_aside(?, ?, ?, ?, ?, ?, ?, ?, ?)";
    /** The target is told afterwards that nobody needs to know any more: so a crash of the server must not undo it. */
    private static final String FORGET_UP_TO = """
            SELECT pg_catalog.set_config('synchronous_commit', 'on', true)
             WHERE pg_catalog.current_setting('synchronous_commit') OPERATOR(pg_catalog.=) 'off';
            DELETE FROM ${schema}.parked_message m USING ${schema}.parked p
             WHERE p.id OPERATOR(pg_catalog.=) m.parked AND p.subscription OPERATOR(pg_catalog.=) ? AND p.key OPERATOR(pg_catalog.=) ? AND m.position OPERATOR(pg_catalog.<=) ?""";

    private static final String FORGET = """
            DELETE FROM ${schema}.parked_message m USING ${schema}.parked p, unnest(?::pg_catalog.text[], ?::pg_catalog.int8[]) AS h (key, position)
             WHERE p.subscription OPERATOR(pg_catalog.=) ? AND p.key OPERATOR(pg_catalog.=) h.key
               AND m.parked OPERATOR(pg_catalog.=) p.id AND m.position OPERATOR(pg_catalog.=) h.position""";
    private static final String POSTPONE = """
            UPDATE ${schema}.parked p
               SET state = n.state, attempts = n.attempts, error = n.error,
                   next_attempt_at = pg_catalog.clock_timestamp() OPERATOR(pg_catalog.+) (n.wait_ms OPERATOR(pg_catalog.*) pg_catalog.interval '1 ms')
              FROM unnest(?::pg_catalog.text[], ?::pg_catalog.text[], ?::pg_catalog.int4[], ?::pg_catalog.text[], ?::pg_catalog.int8[]) AS n (key, state, attempts, error, wait_ms)
             WHERE p.subscription OPERATOR(pg_catalog.=) ? AND p.key OPERATOR(pg_catalog.=) n.key""";
    /** Of the keys that are to flow again, so many still have messages that wait. */
    private static final String UNPARK = """
            WITH gone AS (
              DELETE FROM ${schema}.parked p
               WHERE p.subscription OPERATOR(pg_catalog.=) ? AND p.key OPERATOR(pg_catalog.=) ANY (?)
                 AND NOT EXISTS (SELECT FROM ${schema}.parked_message m WHERE m.parked OPERATOR(pg_catalog.=) p.id)
              RETURNING 1)
            SELECT (SELECT pg_catalog.count(*) FROM ${schema}.parked p WHERE p.subscription OPERATOR(pg_catalog.=) ? AND p.key OPERATOR(pg_catalog.=) ANY (?))
                   OPERATOR(pg_catalog.-) (SELECT pg_catalog.count(*) FROM gone)""";

    /** Under the epoch: a rewind takes away what waits, too. */
    private static final String HAS_MESSAGES = """
            SELECT EXISTS (SELECT FROM ${schema}.parked_message m JOIN ${schema}.parked p ON p.id OPERATOR(pg_catalog.=) m.parked
                            WHERE p.subscription OPERATOR(pg_catalog.=) ? AND p.key OPERATOR(pg_catalog.=) ?)
              FROM ${schema}.checkpoint c WHERE c.id OPERATOR(pg_catalog.=) ? AND c.epoch OPERATOR(pg_catalog.=) ?""";

    private final SchemaName schema;
    private final long sequence;

    /** @param sequence that gives out the log's positions */
    WorkSql(SchemaName schema, long sequence) {
        this.schema = schema;
        this.sequence = sequence;
    }

    /** What a transaction is like. */
    record Begun(String isolation, String timeline) {}

    /** @param lanes whose next owner is to find this transaction, should it still be open then */
    Begun begin(Connection connection, long limitMillis, String token, Collection<Lane> lanes) throws SQLException {
        try (PreparedStatement begin = connection.prepareStatement(schema.in(BEGIN_FOR))) {
            begin.setInt(1, (int) Math.min(Integer.MAX_VALUE, limitMillis));
            begin.setString(2, token);
            begin.setArray(3, checkpoints(connection, lanes));
            begin.setArray(4, epochs(connection, lanes));
            try (ResultSet row = begin.executeQuery()) {
                row.next();
                Failpoint.BEFORE_HANDLER.pass();
                return new Begun(row.getString(1), row.getString(2));
            }
        }
    }

    void close(Connection connection, String token, long leaseMillis, Map<Lane, Long> reached) throws SQLException {
        try (PreparedStatement close = connection.prepareStatement(schema.in(CLOSE))) {
            close(connection, close, 1, token, leaseMillis, reached);
            Failpoint.BEFORE_CLOSE.pass();
            close.execute();
            Failpoint.AFTER_CLOSE.pass();
        }
    }

    /** Begins and closes, in one round trip; on a connection that commits by itself, one transaction. */
    void closeAtOnce(Connection connection, String token, long leaseMillis, Map<Lane, Long> reached)
            throws SQLException {
        try (PreparedStatement close = connection.prepareStatement(schema.in(BEGIN + "; " + CLOSE))) {
            close.setInt(1, (int) leaseMillis);
            close.setString(2, token);
            close(connection, close, 3, token, leaseMillis, reached);
            close.execute();
        }
    }

    private void close(
            Connection connection,
            PreparedStatement close,
            int first,
            String token,
            long leaseMillis,
            Map<Lane, Long> reached)
            throws SQLException {
        Set<Lane> lanes = reached.keySet();
        close.setString(first, token);
        close.setInt(first + 1, (int) leaseMillis);
        close.setString(first + 2, lanes.iterator().next().tenure.timeline());
        close.setLong(first + 3, sequence);
        close.setArray(first + 4, checkpoints(connection, lanes));
        close.setArray(first + 5, epochs(connection, lanes));
        close.setArray(
                first + 6,
                array(
                        connection,
                        "int8",
                        lanes.stream().map(lane -> lane.stored).toArray()));
        close.setArray(first + 7, array(connection, "int8", reached.values().toArray()));
    }

    /** Fails if what has been written so far violates a deferred constraint. */
    void checkDeferred(Connection connection) throws SQLException {
        try (Statement check = connection.createStatement()) {
            check.execute(CHECK_DEFERRED);
        }
    }

    void fence(Connection connection, String token, long leaseMillis, Lane lane) throws SQLException {
        try (PreparedStatement fence = connection.prepareStatement(schema.in(FENCE))) {
            fence.setString(1, token);
            fence.setInt(2, (int) leaseMillis);
            fence.setString(3, lane.tenure.timeline());
            fence.setInt(4, lane.checkpoint());
            fence.setLong(5, lane.tenure.epoch());
            fence.execute();
        }
    }

    void park(Connection connection, int subscription, List<Aside> keys) throws SQLException {
        try (PreparedStatement park = connection.prepareStatement(schema.in(PARK))) {
            park.setInt(1, subscription);
            park.setArray(
                    2,
                    array(
                            connection,
                            "int4",
                            keys.stream().map(key -> key.lane().checkpoint()).toArray()));
            park.setArray(
                    3, array(connection, "text", keys.stream().map(Aside::key).toArray()));
            park.setArray(
                    4,
                    array(
                            connection,
                            "text",
                            keys.stream().map(key -> key.state().stored()).toArray()));
            park.setArray(
                    5, array(connection, "text", keys.stream().map(Aside::error).toArray()));
            park.setArray(
                    6,
                    array(
                            connection,
                            "int8",
                            keys.stream().map(Aside::waitMillis).toArray()));
            park.execute();
        }
    }

    /** @return how many could be recorded */
    int passOver(Connection connection, int subscription, String log, List<Message> messages) throws SQLException {
        try (PreparedStatement pass = connection.prepareStatement(schema.in(PASS_OVER))) {
            pass.setInt(1, subscription);
            pass.setString(2, log);
            pass.setArray(
                    3,
                    array(
                            connection,
                            "text",
                            messages.stream().map(Message::key).toArray()));
            pass.setArray(
                    4,
                    array(
                            connection,
                            "int8",
                            messages.stream().map(Message::position).toArray()));
            try (ResultSet row = pass.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    /** Sets keys aside, and records what is going to be passed over. */
    void setAside(Connection connection, int subscription, String log, Lane lane, Attempt attempt) throws SQLException {
        List<Aside> keys = List.copyOf(attempt.asides().values());
        List<Message> passed = attempt.passed();
        try (PreparedStatement record = connection.prepareStatement(schema.in(SET_ASIDE))) {
            record.setInt(1, subscription);
            record.setString(2, log);
            record.setInt(3, lane.checkpoint());
            record.setArray(
                    4, array(connection, "text", keys.stream().map(Aside::key).toArray()));
            record.setArray(
                    5,
                    array(
                            connection,
                            "text",
                            keys.stream().map(key -> key.state().stored()).toArray()));
            record.setArray(
                    6, array(connection, "text", keys.stream().map(Aside::error).toArray()));
            record.setArray(
                    7,
                    array(
                            connection,
                            "int8",
                            keys.stream().map(Aside::waitMillis).toArray()));
            record.setArray(
                    8,
                    array(connection, "text", passed.stream().map(Message::key).toArray()));
            record.setArray(
                    9,
                    array(
                            connection,
                            "int8",
                            passed.stream().map(Message::position).toArray()));
            try (ResultSet row = record.executeQuery()) {
                row.next();
                if (row.getLong(1) != passed.size()) {
                    throw new SQLException("a key was drained while one of its messages was passed over", "40001");
                }
            }
        }
    }

    /** A key's messages up to this position have been published, as its feed says. */
    void forgetUpTo(Connection connection, int subscription, String key, long position) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(schema.in(FORGET_UP_TO))) {
            delete.setInt(1, subscription);
            delete.setString(2, key);
            delete.setLong(3, position);
            delete.execute();
        }
    }

    /**
     * Messages of several keys.
     *
     * @return how many were still there
     */
    int forget(Connection connection, int subscription, List<Message> handled) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(schema.in(FORGET))) {
            delete.setArray(
                    1,
                    array(connection, "text", handled.stream().map(Message::key).toArray()));
            delete.setArray(
                    2,
                    array(
                            connection,
                            "int8",
                            handled.stream().map(Message::position).toArray()));
            delete.setInt(3, subscription);
            return delete.executeUpdate();
        }
    }

    /** A key that failed, or is to be called later. */
    record Postponed(
            String key,
            Aside.State state,
            int attempts,
            @Nullable String error,
            long waitMillis) {}

    void postpone(Connection connection, int subscription, List<Postponed> keys) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(schema.in(POSTPONE))) {
            update.setArray(
                    1,
                    array(connection, "text", keys.stream().map(Postponed::key).toArray()));
            update.setArray(
                    2,
                    array(
                            connection,
                            "text",
                            keys.stream().map(key -> key.state().stored()).toArray()));
            update.setArray(
                    3,
                    array(
                            connection,
                            "int4",
                            keys.stream().map(Postponed::attempts).toArray()));
            update.setArray(
                    4,
                    array(
                            connection,
                            "text",
                            keys.stream().map(Postponed::error).toArray()));
            update.setArray(
                    5,
                    array(
                            connection,
                            "int8",
                            keys.stream().map(Postponed::waitMillis).toArray()));
            update.setInt(6, subscription);
            update.executeUpdate();
        }
    }

    /** These keys flow again, from this transaction on; under the checkpoints' locks. */
    void unpark(Connection connection, int subscription, Collection<String> keys) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(schema.in(UNPARK))) {
            Array array = array(connection, "text", keys.toArray());
            delete.setInt(1, subscription);
            delete.setArray(2, array);
            delete.setInt(3, subscription);
            delete.setArray(4, array);
            try (ResultSet row = delete.executeQuery()) {
                row.next();
                if (row.getLong(1) != 0) {
                    throw new SQLException("a key was to flow again while messages of it wait", "40001");
                }
            }
        }
    }

    /**
     * Whether anything of the key waits.
     *
     * @throws DatabaseException if the lane is not ours any more: then it may have been rewound since
     */
    boolean hasMessages(Connection connection, int subscription, Lane lane, String key) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(schema.in(HAS_MESSAGES))) {
            select.setInt(1, subscription);
            select.setString(2, key);
            select.setInt(3, lane.checkpoint());
            select.setLong(4, lane.tenure.epoch());
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    throw new DatabaseException(Fault.FENCED, "The lane is somebody else's already.");
                }
                return row.getBoolean(1);
            }
        }
    }

    private static Array checkpoints(Connection connection, Collection<Lane> lanes) throws SQLException {
        return array(connection, "int4", lanes.stream().map(Lane::checkpoint).toArray());
    }

    private static Array epochs(Connection connection, Collection<Lane> lanes) throws SQLException {
        return array(
                connection,
                "int8",
                lanes.stream().map(lane -> lane.tenure.epoch()).toArray());
    }

    private static Array array(Connection connection, String type, @Nullable Object[] elements) throws SQLException {
        return connection.createArrayOf(type, elements);
    }
}
