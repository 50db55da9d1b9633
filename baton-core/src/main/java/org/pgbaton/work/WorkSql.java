package org.pgbaton.work;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.database.SchemaName;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.lane.AsideEntry;
import org.pgbaton.lane.Lane;
import org.pgbaton.lane.PostponedKey;
import org.pgbaton.log.Message;
import org.pgbaton.session.Failpoint;
import org.pgbaton.session.Lease;
import org.pgbaton.session.Sql;
import org.pgbaton.table.MessageRow;

/**
 * The statements of Baton's own in a unit of work of one subscription. They run with the search_path of the handler, so everything is named
 * with its schema; only {@code unnest} of several arrays is always PostgreSQL's, and has no other name. Thread-safe.
 */
public final class WorkSql {
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

    /** The least positions of each key. Written so that the planner cannot look at all keys. */
    private static final String HEADS = """
            SELECT %s FROM %s
             WHERE position OPERATOR(pg_catalog.=) ANY (ARRAY(
               SELECT m.position
                 FROM unnest(?::pg_catalog.text[], ?::pg_catalog.int4[]) AS k (key, most)
                CROSS JOIN LATERAL (SELECT id FROM ${schema}.parked
                                     WHERE subscription OPERATOR(pg_catalog.=) ? AND key OPERATOR(pg_catalog.=) k.key LIMIT 1) AS p
                CROSS JOIN LATERAL (SELECT position FROM ${schema}.parked_message
                                     WHERE parked OPERATOR(pg_catalog.=) p.id ORDER BY position LIMIT k.most) AS m))
             ORDER BY position""";

    private static final String HEADS_UP_TO = """
            SELECT %s FROM %s
             WHERE position OPERATOR(pg_catalog.=) ANY (ARRAY(
               SELECT m.position FROM ${schema}.parked_message m JOIN ${schema}.parked p ON p.id OPERATOR(pg_catalog.=) m.parked
                WHERE p.subscription OPERATOR(pg_catalog.=) ? AND p.key OPERATOR(pg_catalog.=) ? AND m.position OPERATOR(pg_catalog.<=) ?
                ORDER BY m.position LIMIT ?))
             ORDER BY position""";

    private final Sql sql;
    private final SubscriptionOptions options;
    private final int subscription;
    private final int leaseMillis;
    private final String heads;
    private final String headsUpTo;

    public WorkSql(SchemaName schema, SubscriptionOptions options, int subscription, Lease lease) {
        this.sql = new Sql(schema);
        this.options = options;
        this.subscription = subscription;
        this.leaseMillis = (int) lease.length().toMillis();
        this.heads = HEADS.formatted(MessageRow.COLUMNS, options.log().table());
        this.headsUpTo = HEADS_UP_TO.formatted(MessageRow.COLUMNS, options.log().table());
    }

    // ---- the frame of a unit

    /** The isolation of a transaction, and the timeline of its server. */
    record Begun(String isolation, String timeline) {}

    /** @param lanes whose next owner is to find this transaction, should it still be open then */
    Begun beginWork(Connection connection, long limitMillis, String token, Collection<Lane> lanes) throws SQLException {
        Begun begun = sql.all(
                        connection,
                        BEGIN_FOR,
                        row -> new Begun(row.getString(1), row.getString(2)),
                        (int) Math.min(Integer.MAX_VALUE, limitMillis),
                        token,
                        checkpoints(lanes),
                        epochs(lanes))
                .get(0);
        Failpoint.BEFORE_HANDLER.pass();
        return begun;
    }

    /** Moves checkpoints. Fails unless every lane is still ours and where we left it. */
    public void close(Connection connection, String token, Map<Lane, Long> reached) throws SQLException {
        Set<Lane> lanes = reached.keySet();
        Failpoint.BEFORE_CLOSE.pass();
        sql.run(
                connection,
                CLOSE,
                token,
                leaseMillis,
                timeline(lanes),
                options.log().sequence(),
                checkpoints(lanes),
                epochs(lanes),
                Sql.longs(lanes, Lane::stored),
                Sql.longs(reached.values(), position -> position));
        Failpoint.AFTER_CLOSE.pass();
    }

    /** Begins and closes, in one round trip; on a connection that commits by itself, one transaction. */
    void closeAtOnce(Connection connection, String token, Map<Lane, Long> reached) throws SQLException {
        Set<Lane> lanes = reached.keySet();
        sql.run(
                connection,
                BEGIN + "; " + CLOSE,
                leaseMillis,
                token,
                token,
                leaseMillis,
                timeline(lanes),
                options.log().sequence(),
                checkpoints(lanes),
                epochs(lanes),
                Sql.longs(lanes, Lane::stored),
                Sql.longs(reached.values(), position -> position));
    }

    /** Fails unless the lane is still ours. */
    public void fence(Connection connection, String token, Lane lane) throws SQLException {
        sql.run(
                connection,
                FENCE,
                token,
                leaseMillis,
                lane.tenure().timeline(),
                lane.checkpoint().number(),
                lane.tenure().epoch());
    }

    /** Fails if what has been written so far violates a deferred constraint. */
    void checkDeferred(Connection connection) throws SQLException {
        try (Statement check = connection.createStatement()) {
            check.execute(CHECK_DEFERRED);
        }
    }

    // ---- setting aside

    public void park(Connection connection, Collection<AsideEntry> keys) throws SQLException {
        sql.run(
                connection,
                PARK,
                subscription,
                Sql.integers(keys, key -> key.lane().checkpoint().number()),
                Sql.texts(keys, AsideEntry::key),
                Sql.texts(keys, key -> key.state().stored()),
                Sql.texts(keys, AsideEntry::error),
                Sql.longs(keys, AsideEntry::waitMillis));
    }

    /** Records messages of keys that are set aside. Fails if one of the keys was drained meanwhile. */
    public void passOver(Connection connection, List<Message> messages) throws SQLException {
        requireAll(
                messages,
                sql.number(
                        connection,
                        PASS_OVER,
                        subscription,
                        options.log().name(),
                        Sql.texts(messages, Message::key),
                        Sql.longs(messages, Message::position)));
    }

    /** Sets keys aside, and records what is going to be passed over. */
    public void setAside(Connection connection, Lane lane, Collection<AsideEntry> keys, List<Message> passed)
            throws SQLException {
        requireAll(
                passed,
                sql.number(
                        connection,
                        SET_ASIDE,
                        subscription,
                        options.log().name(),
                        lane.checkpoint().number(),
                        Sql.texts(keys, AsideEntry::key),
                        Sql.texts(keys, key -> key.state().stored()),
                        Sql.texts(keys, AsideEntry::error),
                        Sql.longs(keys, AsideEntry::waitMillis),
                        Sql.texts(passed, Message::key),
                        Sql.longs(passed, Message::position)));
    }

    private static void requireAll(List<Message> messages, long recorded) throws SQLException {
        if (recorded != messages.size()) {
            throw new SQLException("a key was drained while one of its messages was passed over", "40001");
        }
    }

    // ---- draining

    /**
     * Messages that wait, in order of their positions.
     *
     * @param isCut whether they are so heavy that not all were read
     */
    public record Heads(List<Message> messages, boolean isCut) {}

    /** The first messages of each of these keys, at most so many. */
    public Heads heads(Connection connection, Collection<String> keys, Collection<Integer> most) throws SQLException {
        return sql.query(
                connection, heads, rows -> read(connection, rows), Sql.texts(keys), Sql.integers(most), subscription);
    }

    /** The first messages of one key, up to a position. */
    public Heads heads(Connection connection, String key, long upTo, int most) throws SQLException {
        return sql.query(connection, headsUpTo, rows -> read(connection, rows), subscription, key, upTo, most);
    }

    private Heads read(Connection connection, ResultSet rows) throws SQLException {
        List<Message> messages = new ArrayList<>();
        long weight = 0;
        while (weight < RowReader.HEAVIEST && rows.next()) {
            Message message =
                    MessageRow.readOrExcuse(rows, connection, options.log().table());
            messages.add(message);
            weight += message.payload().length;
        }
        return new Heads(messages, weight >= RowReader.HEAVIEST);
    }

    /** A key's messages up to this position do not wait any more. */
    public void forgetUpTo(Connection connection, String key, long position) throws SQLException {
        sql.run(connection, FORGET_UP_TO, subscription, key, position);
    }

    /**
     * Messages of several keys do not wait any more.
     *
     * @return how many were still there
     */
    public int forget(Connection connection, List<Message> handled) throws SQLException {
        return sql.run(
                connection,
                FORGET,
                Sql.texts(handled, Message::key),
                Sql.longs(handled, Message::position),
                subscription);
    }

    public void postpone(Connection connection, List<PostponedKey> keys) throws SQLException {
        sql.run(
                connection,
                POSTPONE,
                Sql.texts(keys, PostponedKey::key),
                Sql.texts(keys, key -> key.state().stored()),
                Sql.integers(keys, PostponedKey::attempts),
                Sql.texts(keys, PostponedKey::error),
                Sql.longs(keys, PostponedKey::waitMillis),
                subscription);
    }

    /** These keys flow again, from this transaction on; under the checkpoints' locks. */
    public void unpark(Connection connection, Collection<String> keys) throws SQLException {
        Sql.Elements names = Sql.texts(keys);
        if (sql.number(connection, UNPARK, subscription, names, subscription, names) != 0) {
            throw new SQLException("a key was to flow again while messages of it wait", "40001");
        }
    }

    /**
     * Whether anything of the key waits.
     *
     * @throws DatabaseException if the lane is not ours any more: then it may have been rewound since
     */
    public boolean hasMessages(Connection connection, Lane lane, String key) throws SQLException {
        Boolean has = sql.first(
                connection,
                HAS_MESSAGES,
                row -> row.getBoolean(1),
                subscription,
                key,
                lane.checkpoint().number(),
                lane.tenure().epoch());
        if (has == null) {
            throw new DatabaseException(Fault.FENCED, "The lane is somebody else's already.");
        }
        return has;
    }

    private static String timeline(Set<Lane> lanes) {
        return lanes.iterator().next().tenure().timeline();
    }

    private static Sql.Elements checkpoints(Collection<Lane> lanes) {
        return Sql.integers(lanes, lane -> lane.checkpoint().number());
    }

    private static Sql.Elements epochs(Collection<Lane> lanes) {
        return Sql.longs(lanes, lane -> lane.tenure().epoch());
    }
}
