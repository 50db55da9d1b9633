package org.pgbaton.checkpoint;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.handling.LaneGroup;
import org.pgbaton.lane.CheckpointId;
import org.pgbaton.lane.FeedProgress;
import org.pgbaton.lane.Generation;
import org.pgbaton.lane.StoredAside;
import org.pgbaton.lane.Tenure;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Sql;
import org.pgbaton.table.LogTable;

/** Reads and changes what is stored of subscriptions, except what a unit of work touches. Thread-safe. */
public final class SubscriptionStore {
    private static final String CHECKPOINTS =
            "SELECT id, lane, position, epoch, owner FROM ${schema}.checkpoint WHERE subscription = ? ORDER BY id";
    private static final String STATE = "SELECT state, note FROM ${schema}.subscription WHERE id = ?";
    private static final String STOP = """
            WITH stopped AS (
              UPDATE ${schema}.subscription SET state = 'stopped', note = ? WHERE id = ? AND state = 'running' RETURNING name)
            INSERT INTO ${schema}.action (who, what, subject, reason) SELECT ?, 'stop', name, ? FROM stopped""";
    private static final String MEMBERS = "SELECT number, subscription FROM ${schema}.member";
    private static final String ASIDE = """
            SELECT checkpoint, key, state, attempts,
                   extract(epoch FROM next_attempt_at - clock_timestamp())::double precision
              FROM ${schema}.parked WHERE checkpoint = ANY (?)""";
    /** A rewind changes epoch and generation together. */
    private static final String GENERATION = """
            SELECT s.id || '.' || floor(extract(epoch FROM s.created_at) * 1000000)::bigint, s.generation,
                   ARRAY(SELECT s.rewinds[n::integer] FROM generate_series(2, s.generation) AS n ORDER BY n)
              FROM ${schema}.checkpoint c JOIN ${schema}.subscription s ON s.id = c.subscription
             WHERE c.id = ? AND c.epoch = ?""";

    private static final String TAKE = "SELECT epoch, reached, timeline FROM ${schema}.take_lane(?, ?, ?)";
    private static final String END_WORK = "SELECT FROM ${schema}.end_work(ARRAY[?], NULL, true)";

    private final DatabaseAccess database;
    private final Sql sql;
    /** By which it knows lanes again that it took without a lock: two processes may go by the same name. */
    private final String identity;

    public SubscriptionStore(DatabaseAccess database) {
        this.database = database;
        this.sql = new Sql(database.schema());
        this.identity = database.who() + " " + UUID.randomUUID().toString().substring(0, 8);
    }

    /** Whether the lane was taken here, without a lock, and by nobody since. */
    public boolean isOurs(CheckpointRow row) {
        return identity.equals(row.owner());
    }

    /** @param owned checkpoints whose keys that are set aside are read, too */
    public StoredSubscription read(int subscription, List<CheckpointId> owned) {
        return database.call(
                "read how a subscription is",
                connection -> new StoredSubscription(
                        state(connection, subscription),
                        checkpoints(connection, subscription),
                        owned.isEmpty() ? List.of() : aside(connection, owned)));
    }

    /** By their numbers, in ascending order. */
    public Map<CheckpointId, CheckpointRow> checkpoints(int subscription) {
        return database.call("read checkpoints", connection -> checkpoints(connection, subscription));
    }

    private Map<CheckpointId, CheckpointRow> checkpoints(Connection connection, int subscription) throws SQLException {
        Map<CheckpointId, CheckpointRow> rows = new LinkedHashMap<>();
        sql.all(
                        connection,
                        CHECKPOINTS,
                        row -> new CheckpointRow(
                                new CheckpointId(row.getInt(1)),
                                new LaneGroup(row.getInt(2)),
                                row.getLong(3),
                                row.getLong(4),
                                row.getString(5)),
                        subscription)
                .forEach(row -> rows.put(row.id(), row));
        return rows;
    }

    public StoredState state(int subscription) {
        return database.call("read the state of a subscription", connection -> state(connection, subscription));
    }

    private StoredState state(Connection connection, int subscription) throws SQLException {
        StoredState state =
                sql.first(connection, STATE, row -> new StoredState(row.getString(1), row.getString(2)), subscription);
        return state == null ? new StoredState("deleted", null) : state;
    }

    /** Stops it everywhere, until somebody resumes it. */
    public void stop(int subscription, String why) {
        database.call(
                "stop a subscription", connection -> sql.run(connection, STOP, why, subscription, database.who(), why));
    }

    /** The subscription of each member's number. */
    public Map<Integer, Integer> members() {
        return database.call("read the members", connection -> {
            Map<Integer, Integer> all = new HashMap<>();
            sql.all(connection, MEMBERS, row -> all.put(row.getInt(1), row.getInt(2)));
            return all;
        });
    }

    /** The keys that are set aside. */
    public List<StoredAside> aside(List<CheckpointId> checkpoints) {
        return database.call("read the keys that are set aside", connection -> aside(connection, checkpoints));
    }

    private List<StoredAside> aside(Connection connection, List<CheckpointId> checkpoints) throws SQLException {
        return sql.all(
                connection,
                ASIDE,
                row -> new StoredAside(
                        new CheckpointId(row.getInt(1)),
                        row.getString(2),
                        row.getString(3).equals("parked"),
                        row.getInt(4),
                        (long) (row.getDouble(5) * 1e9)),
                Sql.integers(checkpoints, CheckpointId::number));
    }

    /**
     * The subscription's present generation.
     *
     * @throws DatabaseException if the tenure is over: then it may have been rewound since
     */
    public Generation generation(Tenure tenure) {
        return database.call("read the generation of a subscription", connection -> {
            Generation generation = sql.first(
                    connection,
                    GENERATION,
                    row -> new Generation(row.getString(1), row.getLong(2), Arrays.asList((Long[])
                            row.getArray(3).getArray())),
                    tenure.checkpoint().number(),
                    tenure.epoch());
            if (generation == null) {
                throw new DatabaseException(Fault.FENCED, "The lane is somebody else's already.");
            }
            return generation;
        });
    }

    /** Whether the log has this very message at this position. */
    public boolean has(LogTable log, FeedProgress progress) {
        return database.call(
                "compare progress with log '" + log.name() + "'",
                connection -> sql.isAny(
                        connection,
                        "SELECT FROM " + log.table() + " WHERE position = ? AND id = ?",
                        progress.position(),
                        progress.id()));
    }

    /**
     * Takes a lane by its epoch alone, without a lock, and ends what the former owner left open. Empty if such a transaction still holds
     * the row.
     */
    public Optional<Tenure> take(CheckpointId checkpoint) {
        Optional<Tenure> tenure = raiseEpoch(checkpoint);
        database.call(
                "end what former owners left open", connection -> sql.run(connection, END_WORK, checkpoint.number()));
        return tenure;
    }

    private Optional<Tenure> raiseEpoch(CheckpointId checkpoint) {
        return database.call(
                "take a lane",
                connection -> Optional.ofNullable(sql.first(
                        connection,
                        TAKE,
                        row -> new Tenure(checkpoint, row.getLong(1), row.getLong(2), row.getString(3), null),
                        checkpoint.number(),
                        identity,
                        1000)));
    }
}
