package org.pgbaton.checkpoint;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.pgbaton.handling.LaneGroup;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Sql;
import org.pgbaton.subscription.SubscriptionException;
import org.pgbaton.subscription.SubscriptionStatus;
import org.pgbaton.table.LogTable;

/**
 * Finds or makes the rows of a subscription before it starts. A new one is pinned to the start of the log, so that retention leaves it
 * alone, until it is told where to {@linkplain #recordFirstPositions begin}. Thread-safe.
 */
public final class Registration {
    private static final String REGISTER = """
            INSERT INTO ${schema}.subscription (name, target, log, ordering, state, begun, live)
            VALUES (?, ?, ?, ?, 'new', false, NOT EXISTS (SELECT FROM ${schema}.subscription WHERE name = ? AND live))
            ON CONFLICT DO NOTHING""";
    private static final String FIND =
            "SELECT id, log, ordering, state, begun FROM ${schema}.subscription WHERE name = ? AND target = ?";
    /** Looks first: a conflict with a row that an open work transaction has changed would wait for its end. */
    private static final String ADD_CHECKPOINTS = """
            INSERT INTO ${schema}.checkpoint (subscription, lane, position)
            SELECT wanted.subscription, wanted.lane, 0
              FROM (SELECT ?::integer AS subscription, unnest(?::integer[]) AS lane) AS wanted
             WHERE NOT EXISTS (SELECT FROM ${schema}.checkpoint c
                                WHERE c.subscription = wanted.subscription AND c.lane = wanted.lane)
            ON CONFLICT (subscription, lane) DO NOTHING""";

    private static final String COUNT_CHECKPOINTS = "SELECT count(*) FROM ${schema}.checkpoint WHERE subscription = ?";
    private static final String BEGIN_AT = """
            UPDATE ${schema}.checkpoint SET position = ? WHERE subscription = ? AND lane = ?""";
    /** A transaction draws the positions of its rows after it has begun. One second is for clocks that are set back. */
    private static final String WRITING_SINCE = """
            SELECT count(*), count(*) FILTER (WHERE xact_start IS NULL), min(xact_start) - interval '1 s'
              FROM ${schema}.log_writers WHERE log = ? AND (? < 0 OR lane % ? = ?)""";

    private static final String BEGUN = """
            UPDATE ${schema}.subscription SET state = CASE state WHEN 'new' THEN 'running' ELSE state END, begun = true
             WHERE id = ? AND (state = 'new' OR NOT begun)""";

    private final DatabaseAccess database;
    private final Sql sql;

    public Registration(DatabaseAccess database) {
        this.database = database;
        this.sql = new Sql(database.schema());
    }

    /** @param isNew whether it has not begun yet */
    public record Registered(int id, boolean isNew) {}

    public Registered register(SubscriptionOptions options) {
        return database.call("register " + options, connection -> {
            Registered found = find(connection, options);
            // More than once only if another target of the same name is registered at this moment.
            while (found == null) {
                insert(connection, options);
                found = find(connection, options);
            }
            long there = sql.number(connection, COUNT_CHECKPOINTS, found.id);
            if (there > 0) {
                String wanted = Integer.toString(options.groups().number());
                require(options, "number of groups", Long.toString(there), wanted);
            }
            sql.run(
                    connection,
                    ADD_CHECKPOINTS,
                    found.id,
                    Sql.integers(options.groups().all(), LaneGroup::number));
            return found;
        });
    }

    private void insert(Connection connection, SubscriptionOptions options) throws SQLException {
        sql.run(
                connection,
                REGISTER,
                options.name(),
                options.target(),
                options.log().name(),
                options.order().word(),
                options.name());
    }

    private record Found(int id, String log, String ordering, SubscriptionStatus.State state, boolean begun) {}

    private @Nullable Registered find(Connection connection, SubscriptionOptions options) throws SQLException {
        Found found = sql.first(
                connection,
                FIND,
                row -> new Found(
                        row.getInt(1),
                        row.getString(2),
                        row.getString(3),
                        SubscriptionStatus.State.of(row.getString(4)),
                        row.getBoolean(5)),
                options.name(),
                options.target());
        if (found == null) {
            return null;
        }
        require(options, "log", found.log, options.log().name());
        require(options, "order", found.ordering, options.order().word());
        if (found.state == SubscriptionStatus.State.RETIRED) {
            throw new SubscriptionException("The " + options + " has been replaced by another target: start that one, "
                    + "or delete this one first to begin it anew.");
        }
        // It may have been paused, and even resumed, before it began.
        return new Registered(found.id, found.state == SubscriptionStatus.State.NEW || !found.begun);
    }

    private static void require(SubscriptionOptions options, String what, String there, String wanted) {
        if (!there.equals(wanted)) {
            throw new SubscriptionException(
                    "The " + options + " exists with " + what + " '" + there + "', and is wanted with '" + wanted
                            + "': use another name, or delete it first ('baton subscriptions delete').");
        }
    }

    /** @param starts the position after which each group begins */
    public void recordFirstPositions(int subscription, Map<LaneGroup, Long> starts) {
        database.call("begin a subscription", connection -> {
            if (sql.run(connection, BEGUN, subscription) == 0) {
                return false; // somebody else has begun it, and may have read on
            }
            for (Map.Entry<LaneGroup, Long> start : starts.entrySet()) {
                sql.run(
                        connection,
                        BEGIN_AT,
                        start.getValue(),
                        subscription,
                        start.getKey().number());
            }
            return true;
        });
    }

    private record Writers(
            long all, long ofUnknownAge, @Nullable OffsetDateTime since) {}

    /**
     * Where a group can begin although transactions that wrote to it are open: after the last row that was recorded before they began.
     *
     * @return empty if nobody writes any more, or if it cannot be told when somebody began
     */
    public OptionalLong beforeOpenWriters(SubscriptionOptions options, LaneGroup group) {
        LogTable log = options.log();
        return database.call("look how long writers of log '" + log.name() + "' have been open", connection -> {
            Writers writers = sql.first(
                    connection,
                    WRITING_SINCE,
                    row -> new Writers(row.getLong(1), row.getLong(2), row.getObject(3, OffsetDateTime.class)),
                    log.name(),
                    group.number(),
                    options.groups().number(),
                    group.number());
            if (writers == null || writers.all == 0 || writers.ofUnknownAge > 0) {
                return OptionalLong.empty();
            }
            Long before = sql.first(
                    connection,
                    "SELECT position FROM " + log.table() + " WHERE recorded_at < ? ORDER BY position DESC LIMIT 1",
                    row -> row.getLong(1),
                    writers.since);
            return OptionalLong.of(before == null ? 0 : before);
        });
    }
}
