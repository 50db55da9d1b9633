package org.pgbaton.subscription;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.log.LogException;
import org.pgbaton.log.LogTable;
import org.pgbaton.member.Tenure;
import org.pgbaton.session.Database;

/** What the database keeps of subscriptions, besides what a unit of work touches. Thread-safe. */
final class Store {
    private static final String REGISTER = """
            INSERT INTO ${schema}.subscription (name, target, log, ordering, state, begun, live)
            VALUES (?, ?, ?, ?, ?, false, NOT EXISTS (SELECT FROM ${schema}.subscription WHERE name = ? AND live))
            ON CONFLICT DO NOTHING""";
    private static final String FIND =
            "SELECT id, log, ordering, state, begun FROM ${schema}.subscription WHERE name = ? AND target = ?";
    /** Looks first: a conflict with a row that an open work transaction has changed would wait for its end. */
    private static final String ADD_CHECKPOINTS = """
            INSERT INTO ${schema}.checkpoint (subscription, lane, position)
            SELECT wanted.subscription, wanted.lane, ?
              FROM (SELECT ?::integer AS subscription, unnest(?::integer[]) AS lane) AS wanted
             WHERE NOT EXISTS (SELECT FROM ${schema}.checkpoint c
                                WHERE c.subscription = wanted.subscription AND c.lane = wanted.lane)
            ON CONFLICT (subscription, lane) DO NOTHING""";

    private static final String CHECKPOINTS =
            "SELECT id, lane, position, epoch, owner FROM ${schema}.checkpoint WHERE subscription = ? ORDER BY id";
    private static final String BEGIN_AT = """
            UPDATE ${schema}.checkpoint SET position = ? WHERE subscription = ? AND lane = ?""";
    /** Whatever an open transaction wrote, it drew its position after it began; a second for clocks that are set back. */
    private static final String WRITING_SINCE = """
            SELECT count(*), count(*) FILTER (WHERE xact_start IS NULL), min(xact_start) - interval '1 s'
              FROM ${schema}.log_writers WHERE log = ? AND (? < 0 OR lane % ? = ?)""";

    private static final String BEGUN = """
            UPDATE ${schema}.subscription SET state = CASE state WHEN 'new' THEN 'running' ELSE state END, begun = true
             WHERE id = ? AND (state = 'new' OR NOT begun)""";
    private static final String STATE = "SELECT state, note FROM ${schema}.subscription WHERE id = ?";
    private static final String STOP = """
            WITH stopped AS (
              UPDATE ${schema}.subscription SET state = 'stopped', note = ? WHERE id = ? AND state = 'running' RETURNING name)
            INSERT INTO ${schema}.action (who, what, subject, reason) SELECT ?, 'stop', name, ? FROM stopped""";
    private static final String MEMBERS = "SELECT number, subscription FROM ${schema}.member";
    private static final String PARKED = """
            SELECT checkpoint, key, state, attempts,
                   extract(epoch FROM next_attempt_at - clock_timestamp())::double precision
              FROM ${schema}.parked WHERE checkpoint = ANY (?)""";
    private static final String SANITY = """
            SELECT CASE WHEN has_sequence_privilege(l.sequence, 'SELECT') THEN coalesce(pg_sequence_last_value(l.sequence), 0) END,
                   coalesce((SELECT max(c.position) FROM ${schema}.checkpoint c
                               JOIN ${schema}.subscription s ON s.id = c.subscription WHERE s.log = l.name), 0)
              FROM ${schema}.log l WHERE l.name = ?""";
    private static final String UNSAFE = "SELECT grave, problem, remedy FROM ${schema}.unsafe(?)";
    /** A rewind changes epoch and generation together. */
    private static final String GENERATION = """
            SELECT s.id || '.' || floor(extract(epoch FROM s.created_at) * 1000000)::bigint, s.generation,
                   ARRAY(SELECT s.rewinds[n::integer] FROM generate_series(2, s.generation) AS n ORDER BY n)
              FROM ${schema}.checkpoint c JOIN ${schema}.subscription s ON s.id = c.subscription
             WHERE c.id = ? AND c.epoch = ?""";

    private static final String TAKE = "SELECT epoch, reached, timeline FROM ${schema}.take_lane(?, ?, ?)";
    private static final String END_WORK = "SELECT FROM ${schema}.end_work(ARRAY[?], NULL, true)";

    private final Database database;
    /** By which it knows lanes again that it took without a lock: two processes may go by the same name. */
    private final String identity;

    Store(Database database) {
        this.database = database;
        this.identity = database.who() + " " + UUID.randomUUID().toString().substring(0, 8);
    }

    /** Whether the lane was taken here, without a lock, and by nobody since. */
    boolean isOurs(Row row) {
        return identity.equals(row.owner());
    }

    /** @param isNew whether it has not begun yet: {@link #begin} it */
    record Registered(int id, boolean isNew, String state) {}

    /** A checkpoint's row. */
    record Row(
            int id,
            int lane,
            long position,
            long epoch,
            @Nullable String owner) {}

    private PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        return connection.prepareStatement(database.schema().in(sql));
    }

    /** What somebody has changed of a log that we rest on; as this process's role sees it. */
    List<Unsafe> unsafe(LogTable log) {
        return database.call("check the log '" + log.name() + "'", connection -> {
            List<Unsafe> all = new ArrayList<>();
            try (PreparedStatement select = prepare(connection, UNSAFE)) {
                select.setString(1, log.name());
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        all.add(new Unsafe(row.getBoolean(1), row.getString(2), row.getString(3)));
                    }
                }
            }
            return all;
        });
    }

    /** A sequence that went back would give positions out again below what has been read. */
    void requireSane(LogTable log) {
        List<Unsafe> unsafe = unsafe(log);
        if (!unsafe.isEmpty()) {
            throw new LogException(Unsafe.describe(log.name(), unsafe));
        }
        database.call("check the log '" + log.name() + "'", connection -> {
            long last = 0;
            try (PreparedStatement newest = connection.prepareStatement("SELECT max(position) FROM " + log.table());
                    ResultSet row = newest.executeQuery()) {
                row.next();
                last = row.getLong(1);
            }
            try (PreparedStatement select = prepare(connection, SANITY)) {
                select.setString(1, log.name());
                try (ResultSet row = select.executeQuery()) {
                    row.next();
                    long drawn = row.getLong(1);
                    if (row.wasNull()) {
                        throw new LogException(
                                "The sequence of log '" + log.name() + "' may not be read by this user: grant it, for "
                                        + "instance with the script that 'baton migrate --print-roles' prints.");
                    }
                    long needed = Math.max(last, row.getLong(2));
                    if (drawn < needed) {
                        throw new LogException("The sequence of log '" + log.name() + "' is at " + drawn
                                + ", but position " + needed
                                + " has been used: new messages would be missed. Set it with SELECT setval('"
                                + log.table() + "_position', ...) to " + needed + " or more.");
                    }
                }
            }
            return true;
        });
    }

    /** Finds or makes the subscription; a new one is pinned to the start of the log, so that retention leaves it alone, until it begins. */
    Registered register(Options options) {
        return database.call("register " + options, connection -> {
            Registered found = find(connection, options);
            while (found
                    == null) { // more than once only if another target of the same name is registered at this moment
                insert(connection, options);
                found = find(connection, options);
            }
            int there = checkpoints(connection, found.id).size();
            if (there > 0) {
                require(options, "number of parts", Integer.toString(there), Integer.toString(options.parts()));
            }
            try (PreparedStatement insert = prepare(connection, ADD_CHECKPOINTS)) {
                insert.setLong(1, 0);
                insert.setInt(2, found.id);
                insert.setArray(3, connection.createArrayOf("int4", parts(options)));
                insert.executeUpdate();
            }
            return found;
        });
    }

    private void insert(Connection connection, Options options) throws SQLException {
        try (PreparedStatement insert = prepare(connection, REGISTER)) {
            insert.setString(1, options.name());
            insert.setString(2, options.target());
            insert.setString(3, options.log().name());
            insert.setString(4, options.order().stored());
            insert.setString(5, "new");
            insert.setString(6, options.name());
            insert.executeUpdate();
        }
    }

    private static Integer[] parts(Options options) {
        if (options.isTotal()) {
            return new Integer[] {-1};
        }
        Integer[] parts = new Integer[options.parts()];
        Arrays.setAll(parts, i -> i);
        return parts;
    }

    private @Nullable Registered find(Connection connection, Options options) throws SQLException {
        try (PreparedStatement select = prepare(connection, FIND)) {
            select.setString(1, options.name());
            select.setString(2, options.target());
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    return null;
                }
                require(options, "log", row.getString(2), options.log().name());
                require(options, "order", row.getString(3), options.order().stored());
                String state = row.getString(4);
                if (state.equals("retired")) {
                    throw new SubscriptionException(
                            "The " + options + " has been replaced by another target: start that one, "
                                    + "or delete this one first to begin it anew.");
                }
                // It may have been paused, and even resumed, before it began.
                return new Registered(row.getInt(1), state.equals("new") || !row.getBoolean(5), state);
            }
        }
    }

    private static void require(Options options, String what, String there, String wanted) {
        if (!there.equals(wanted)) {
            throw new SubscriptionException(
                    "The " + options + " exists with " + what + " '" + there + "', and is wanted with '" + wanted
                            + "': use another name, or delete it first ('baton subscriptions delete').");
        }
    }

    /**
     * Where a lane can begin although transactions that wrote to it are open: after the last row that was recorded before they began.
     *
     * @param part below 0 for all lanes
     * @return empty if nobody writes any more, or if it cannot be told when somebody began
     */
    OptionalLong beforeOpenWriters(Options options, int part) {
        LogTable log = options.log();
        return database.call("look how long writers of log '" + log.name() + "' have been open", connection -> {
            OffsetDateTime since;
            try (PreparedStatement select = prepare(connection, WRITING_SINCE)) {
                select.setString(1, log.name());
                select.setInt(2, part);
                select.setInt(3, options.parts());
                select.setInt(4, part);
                try (ResultSet row = select.executeQuery()) {
                    row.next();
                    if (row.getLong(1) == 0 || row.getLong(2) > 0) {
                        return OptionalLong.empty();
                    }
                    since = row.getObject(3, OffsetDateTime.class);
                }
            }
            try (PreparedStatement select = connection.prepareStatement(
                    "SELECT position FROM " + log.table() + " WHERE recorded_at < ? ORDER BY position DESC LIMIT 1")) {
                select.setObject(1, since);
                try (ResultSet row = select.executeQuery()) {
                    return OptionalLong.of(row.next() ? row.getLong(1) : 0);
                }
            }
        });
    }

    /** @param starts the position after which each lane begins */
    void begin(int subscription, Map<Integer, Long> starts) {
        database.call("begin a subscription", connection -> {
            try (PreparedStatement update = prepare(connection, BEGUN)) {
                update.setInt(1, subscription);
                if (update.executeUpdate() == 0) {
                    return false; // somebody else has begun it, and may have read on
                }
            }
            for (Map.Entry<Integer, Long> start : starts.entrySet()) {
                try (PreparedStatement update = prepare(connection, BEGIN_AT)) {
                    update.setLong(1, start.getValue());
                    update.setInt(2, subscription);
                    update.setInt(3, start.getKey());
                    update.executeUpdate();
                }
            }
            return true;
        });
    }

    /** Everything a member must know after an operator did something, or after trouble; in one transaction, positions before parked keys. */
    record Everything(State state, Map<Integer, Row> checkpoints, List<ParkedRow> parked) {
        /** What is stored could not be read. */
        static final Everything NOTHING = new Everything(new State("unknown", null), Map.of(), List.of());

        boolean isKnown() {
            return !state.equals(NOTHING.state);
        }
    }

    Everything everything(int subscription, List<Integer> owned) {
        return database.call(
                "read how a subscription is",
                connection -> new Everything(
                        state(connection, subscription),
                        checkpoints(connection, subscription),
                        owned.isEmpty() ? List.of() : parked(connection, owned)));
    }

    Map<Integer, Row> checkpoints(int subscription) {
        return database.call("read checkpoints", connection -> checkpoints(connection, subscription));
    }

    private Map<Integer, Row> checkpoints(Connection connection, int subscription) throws SQLException {
        Map<Integer, Row> rows = new LinkedHashMap<>();
        try (PreparedStatement select = prepare(connection, CHECKPOINTS)) {
            select.setInt(1, subscription);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    rows.put(
                            row.getInt(1),
                            new Row(row.getInt(1), row.getInt(2), row.getLong(3), row.getLong(4), row.getString(5)));
                }
            }
        }
        return rows;
    }

    /** @param note why it does not run */
    record State(String name, @Nullable String note) {}

    State state(int subscription) {
        return database.call("read the state of a subscription", connection -> state(connection, subscription));
    }

    private State state(Connection connection, int subscription) throws SQLException {
        try (PreparedStatement select = prepare(connection, STATE)) {
            select.setInt(1, subscription);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? new State(row.getString(1), row.getString(2)) : new State("deleted", null);
            }
        }
    }

    void stop(int subscription, String why) {
        database.call("stop a subscription", connection -> {
            try (PreparedStatement update = prepare(connection, STOP)) {
                update.setString(1, why);
                update.setInt(2, subscription);
                update.setString(3, database.who());
                update.setString(4, why);
                return update.executeUpdate();
            }
        });
    }

    /** The subscription of each member's number. */
    Map<Integer, Integer> members() {
        return database.call("read the members", connection -> {
            Map<Integer, Integer> all = new HashMap<>();
            try (PreparedStatement select = prepare(connection, MEMBERS);
                    ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    all.put(row.getInt(1), row.getInt(2));
                }
            }
            return all;
        });
    }

    /**
     * The subscription's present generation.
     *
     * @throws DatabaseException if the tenure is over: then it may have been rewound since
     */
    Generation generation(Tenure tenure) {
        return database.call("read the generation of a subscription", connection -> {
            try (PreparedStatement select = prepare(connection, GENERATION)) {
                select.setInt(1, tenure.checkpoint());
                select.setLong(2, tenure.epoch());
                try (ResultSet row = select.executeQuery()) {
                    if (!row.next()) {
                        throw new DatabaseException(Fault.FENCED, "The lane is somebody else's already.");
                    }
                    Long[] rewinds = (Long[]) row.getArray(3).getArray();
                    return new Generation(row.getString(1), row.getLong(2), Arrays.asList(rewinds));
                }
            }
        });
    }

    /** Whether the log has this very message at this position. */
    boolean has(LogTable log, Progress progress) {
        return database.call("compare progress with log '" + log.name() + "'", connection -> {
            try (PreparedStatement select =
                    connection.prepareStatement("SELECT FROM " + log.table() + " WHERE position = ? AND id = ?")) {
                select.setLong(1, progress.position());
                select.setObject(2, progress.id());
                try (ResultSet row = select.executeQuery()) {
                    return row.next();
                }
            }
        });
    }

    /** A parked key, as it is stored. */
    record ParkedRow(int checkpoint, String key, boolean parked, int attempts, long waitNanos) {}

    List<ParkedRow> parked(List<Integer> checkpoints) {
        return database.call("read parked keys", connection -> parked(connection, checkpoints));
    }

    private List<ParkedRow> parked(Connection connection, List<Integer> checkpoints) throws SQLException {
        List<ParkedRow> rows = new ArrayList<>();
        try (PreparedStatement select = prepare(connection, PARKED)) {
            select.setArray(1, connection.createArrayOf("int4", checkpoints.toArray()));
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    rows.add(new ParkedRow(
                            row.getInt(1), row.getString(2), row.getString(3).equals("parked"), row.getInt(4), (long)
                                    (row.getDouble(5) * 1e9)));
                }
            }
        }
        return rows;
    }

    /**
     * Takes a lane by its epoch alone, without a lock, and ends what the former owner left open. Empty: such a transaction is in the way still.
     */
    Optional<Tenure> take(int checkpoint) {
        Optional<Tenure> tenure = bump(checkpoint);
        database.call("end what former owners left open", connection -> {
            try (PreparedStatement end = prepare(connection, END_WORK)) {
                end.setInt(1, checkpoint);
                return end.execute();
            }
        });
        return tenure;
    }

    private Optional<Tenure> bump(int checkpoint) {
        return database.call("take a lane", connection -> {
            try (PreparedStatement take = prepare(connection, TAKE)) {
                take.setInt(1, checkpoint);
                take.setString(2, identity);
                take.setInt(3, 1000);
                try (ResultSet row = take.executeQuery()) {
                    return row.next()
                            ? Optional.of(
                                    new Tenure(checkpoint, row.getLong(1), row.getLong(2), row.getString(3), null))
                            : Optional.empty();
                }
            }
        });
    }
}
