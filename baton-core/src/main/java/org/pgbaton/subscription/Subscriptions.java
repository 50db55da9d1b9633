package org.pgbaton.subscription;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.LogTable;
import org.pgbaton.log.Message;
import org.pgbaton.log.MessageRow;
import org.pgbaton.session.Database;

/**
 * What operators do with subscriptions, from any process: look, pause, resume, rewind, switch a rebuilt target over, delete;
 * retry and skip what is parked. Everything that changes something is one transaction, is recorded with who and why, and is seen by the
 * members at once if they listen, else within a second. Thread-safe.
 */
public final class Subscriptions {
    private static final Duration NEXT_LOOK = Duration.ofMillis(5);
    private static final Duration LONGEST_LOOK = Duration.ofMillis(100);

    private final Crew crew;
    private final Database database;

    /** Null: the live one. */
    private final @Nullable String chosen;

    Subscriptions(Crew crew) {
        this(crew, null);
    }

    private Subscriptions(Crew crew, @Nullable String chosen) {
        this.crew = crew;
        this.database = crew.database();
        this.chosen = chosen;
    }

    /**
     * The same for another target than the live one, which is built beside it: pause, resume and rewind it, look at its parked
     * messages, retry and skip them.
     */
    public Subscriptions ofTarget(String beside) {
        return new Subscriptions(crew, beside);
    }

    /** Every subscription, and every target of it. */
    public List<SubscriptionStatus> list() {
        return database.call("read the subscriptions", connection -> {
            List<SubscriptionStatus> all = new ArrayList<>();
            try (PreparedStatement select = prepare(connection, OperatorSql.LIST);
                    ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    all.add(status(row));
                }
            }
            return all;
        });
    }

    private static SubscriptionStatus status(ResultSet row) throws SQLException {
        Array names = row.getArray("member_names");
        return new SubscriptionStatus(
                row.getString("name"),
                row.getString("target"),
                row.getBoolean("live"),
                row.getString("log"),
                row.getString("ordering"),
                row.getString("state"),
                row.getString("note"),
                row.getInt("lanes"),
                row.getInt("lanes_owned"),
                names == null ? List.of() : List.of((String[]) names.getArray()),
                row.getLong("position"),
                row.getLong("lag_positions"),
                Duration.ofNanos((long) (row.getDouble("lag") * 1e9)),
                row.getInt("parked_keys"),
                row.getInt("set_aside_keys"),
                row.getString("held_back_by"),
                row.getLong("epoch"),
                instant(row, "created_at"));
    }

    private static Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    /** Nothing new is begun by any member, until it is resumed. */
    public void pause(String name, String reason) {
        change(
                name,
                chosen,
                "pause",
                reason,
                null,
                (connection, found) -> setState(connection, found, "paused", reason));
    }

    /** Goes on after a pause, or after it stopped itself. */
    public void resume(String name, String reason) {
        change(name, chosen, "resume", reason, null, (connection, found) -> {
            if (found.state.equals("retired")) {
                throw new SubscriptionException("Subscription '" + name + "' is retired, and cannot be resumed.");
            }
            setState(connection, found, "running", null);
        });
    }

    private void setState(Connection connection, Found found, String state, @Nullable String note) throws SQLException {
        run(connection, OperatorSql.SET_STATE, state, note, found.id);
    }

    /**
     * Handles everything after that position again; lanes that have not come so far stay where they are. A projection that is not
     * idempotent must be emptied first.
     */
    public void rewind(String name, long position, String reason) {
        if (position < 0) {
            throw new IllegalArgumentException("Cannot rewind to position " + position + ": 0 is the origin.");
        }
        change(name, chosen, "rewind", reason, "to position " + position, (connection, found) -> {
            long removed = number(connection, OperatorSql.PIN_LOG, found.log);
            if (position > 0 && position < removed) {
                throw new SubscriptionException("Subscription '" + name + "' cannot be rewound to position " + position
                        + ": retention has removed everything up to " + removed
                        + ". Rewind to that, or to the origin (0) for all "
                        + "that is left.");
            }
            long furthest = lockCheckpoints(connection, found.id);
            if (position > furthest) {
                throw new SubscriptionException("Subscription '" + name + "' is at position " + furthest
                        + ", and cannot be rewound to " + position + ": that would skip messages.");
            }
            run(connection, OperatorSql.REWIND, position, found.id);
            run(connection, OperatorSql.NEXT_GENERATION, found.id);
            run(connection, OperatorSql.FORGET_PARKED_MESSAGES, found.id, position);
            run(connection, OperatorSql.FORGET_EMPTY_KEYS, found.id);
        });
    }

    private long number(Connection connection, String sql, Object parameter) throws SQLException {
        try (PreparedStatement select = prepare(connection, sql)) {
            select.setObject(1, parameter);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private long lockCheckpoints(Connection connection, int subscription) throws SQLException {
        long furthest = 0;
        try (PreparedStatement lock = prepare(connection, OperatorSql.LOCK_CHECKPOINTS)) {
            lock.setInt(1, subscription);
            try (ResultSet row = lock.executeQuery()) {
                while (row.next()) {
                    furthest = Math.max(furthest, row.getLong(3));
                }
            }
        }
        return furthest;
    }

    /** How many positions the target is behind the live one, in its slowest lane. 0: it can be switched over. */
    public long behindLive(String name, String target) {
        return database.call("compare targets of subscription '" + name + "'", connection -> {
            Found live = find(connection, name, null);
            Found beside = find(connection, name, target);
            return behind(connection, live, beside);
        });
    }

    private long behind(Connection connection, Found live, Found beside) throws SQLException {
        try (PreparedStatement select = prepare(connection, OperatorSql.BEHIND_LIVE)) {
            select.setInt(1, live.id);
            select.setInt(2, beside.id);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /**
     * Makes a target that was built beside the live one the live one, in one transaction, together with whatever the application wants to
     * change at the same moment (a view that readers use, for instance). The old target is retired: its members cannot commit
     * anything any more.
     *
     * @param patience how long the old target may be held still until the new one has caught up
     * @param alsoDo in the same transaction
     */
    public void switchOver(String name, String target, String reason, Duration patience, Transactions.Work alsoDo) {
        change(name, null, "switch over", reason, "to target '" + target + "'", (connection, live) -> {
            Found beside = find(connection, name, target);
            if (beside.id == live.id) {
                throw new SubscriptionException(
                        "Target '" + target + "' of subscription '" + name + "' is live already.");
            }
            if (!beside.log.equals(live.log)) {
                throw new SubscriptionException("Target '" + target + "' of subscription '" + name + "' reads log '"
                        + beside.log + "', and the live one '" + live.log + "': their positions cannot be compared.");
            }
            long parked = number(connection, OperatorSql.COUNT_PARKED, beside.id);
            if (parked > 0) {
                throw new SubscriptionException("Target '" + target + "' of subscription '" + name + "' has " + parked
                        + " parked keys: retry or skip them first.");
            }
            lockCheckpoints(connection, live.id);
            awaitCatchUp(connection, live, beside, patience);
            run(connection, OperatorSql.RETIRE, "replaced by target '" + target + "'", live.id);
            run(connection, OperatorSql.FENCE, live.id);
            run(connection, OperatorSql.MAKE_LIVE, beside.id);
            also(alsoDo, connection);
        });
    }

    private static void also(Transactions.Work alsoDo, Connection connection) throws SQLException {
        try {
            alsoDo.on(HandlerConnection.around(connection));
        } catch (SQLException | RuntimeException asItIs) {
            throw asItIs;
        } catch (Exception theirs) {
            throw new SubscriptionException("What was to be done with the switch failed: " + theirs.getMessage());
        }
    }

    private void awaitCatchUp(Connection connection, Found live, Found beside, Duration patience) throws SQLException {
        long end = System.nanoTime() + patience.toNanos();
        long behind = behind(connection, live, beside);
        while (behind > 0 || number(connection, OperatorSql.COUNT_ASIDE, beside.id) > 0) {
            if (System.nanoTime() > end) {
                throw new SubscriptionException("The new target is still " + behind
                        + " positions behind, or has keys set aside: let it catch up, and try again.");
            }
            try {
                Thread.sleep(NEXT_LOOK.toMillis());
            } catch (InterruptedException inAHurry) {
                Thread.currentThread().interrupt();
                throw new SubscriptionException("Interrupted while the new target caught up; nothing was changed.");
            }
            behind = behind(connection, live, beside);
        }
    }

    /** Forgets it: its checkpoints and parked keys. No member may be alive. */
    public void delete(String name, @Nullable String target, String reason) {
        change(name, target, "delete", reason, null, (connection, found) -> {
            run(connection, OperatorSql.LOCK_TO_DELETE, found.id);
            String alive = alive(connection, found.id);
            if (alive != null) {
                throw new SubscriptionException(
                        "Subscription '" + name + "' has live members (" + alive + "): stop them first.");
            }
            lockCheckpoints(connection, found.id);
            run(connection, OperatorSql.FORGET_PARKED_MESSAGES, found.id, -1L);
            run(connection, OperatorSql.FORGET_EMPTY_KEYS, found.id);
            run(connection, OperatorSql.DELETE_CHECKPOINTS, found.id);
            run(connection, OperatorSql.DELETE, found.id);
        });
    }

    private @Nullable String alive(Connection connection, int subscription) throws SQLException {
        try (PreparedStatement select = prepare(connection, OperatorSql.ALIVE)) {
            select.setInt(1, subscription);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        }
    }

    /** Keys that are set aside, of one subscription or of all. */
    public List<ParkedKey> parked(@Nullable String name) {
        return database.call("read the parked keys", connection -> parked(connection, name, null, 10_000));
    }

    private List<ParkedKey> parked(Connection connection, @Nullable String name, @Nullable String key, int most)
            throws SQLException {
        List<ParkedKey> all = new ArrayList<>();
        try (PreparedStatement select = prepare(connection, OperatorSql.PARKED)) {
            select.setString(1, name);
            select.setString(2, name);
            select.setString(3, key);
            select.setString(4, key);
            select.setInt(5, most);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    all.add(new ParkedKey(
                            row.getString(1),
                            row.getString(2),
                            row.getString(3),
                            row.getString(4),
                            row.getInt(5),
                            row.getString(6),
                            instant(row, "since"),
                            instant(row, "next_attempt_at"),
                            row.getLong(9),
                            row.getLong(10)));
                }
            }
        }
        return all;
    }

    /** The messages of a parked key that wait, in order, from after the given position. */
    public List<Message> parkedMessages(String name, String key, long after, int most) {
        return database.call("read the messages of a parked key", connection -> {
            Found found = find(connection, name, chosen);
            LogTable log = LogTable.find(database, connection, found.log);
            List<Message> messages = new ArrayList<>();
            String sql = OperatorSql.MESSAGES.formatted(MessageRow.COLUMNS, log.table());
            try (PreparedStatement select = prepare(connection, sql)) {
                select.setInt(1, found.id);
                select.setString(2, key);
                select.setLong(3, after);
                select.setInt(4, most);
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        messages.add(MessageRow.read(row, connection, log.table()));
                    }
                }
            }
            return messages;
        });
    }

    /**
     * Tries a parked key again, at once and with all its attempts.
     *
     * @return false if the key is not parked
     */
    public boolean retry(String name, String key, String reason) {
        return retry(name, key, null, reason) > 0;
    }

    /**
     * Tries all keys again whose error contains this text.
     *
     * @return how many
     */
    public int retryAll(String name, @Nullable String errorContains, String reason) {
        return retry(name, null, errorContains, reason);
    }

    private int retry(String name, @Nullable String key, @Nullable String errorContains, String reason) {
        int[] keys = new int[1];
        String detail = key == null ? "errors containing '" + errorContains + "'" : "key '" + key + "'";
        change(
                name,
                chosen,
                "retry",
                reason,
                errorContains == null && key == null ? "all keys" : detail,
                (connection, found) -> {
                    keys[0] = run(connection, OperatorSql.RETRY, found.id, key, key, errorContains, errorContains);
                });
        return keys[0];
    }

    /**
     * Skips the first message of a parked key for good, and goes on with the next.
     *
     * @param position of that message, so that nothing else is skipped by mistake
     */
    public void skip(String name, String key, long position, String reason) {
        change(name, chosen, "skip", reason, "message " + position + " of key '" + key + "'", (connection, found) -> {
            if (run(connection, OperatorSql.SKIP, found.id, key, position) == 0) {
                throw new SubscriptionException("Message " + position + " is not the first that waits of key '" + key
                        + "' in subscription '" + name + "': look again with 'baton parked show'.");
            }
            run(connection, OperatorSql.RETRY, found.id, key, key, null, null);
        });
    }

    /** What was done, the latest first. */
    public List<Action> actions(int most) {
        return database.call("read the actions", connection -> {
            List<Action> all = new ArrayList<>();
            try (PreparedStatement select = prepare(connection, OperatorSql.ACTIONS)) {
                select.setInt(1, most);
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        all.add(new Action(
                                instant(row, "at"),
                                row.getString(2),
                                row.getString(3),
                                row.getString(4),
                                row.getString(5),
                                row.getString(6)));
                    }
                }
            }
            return all;
        });
    }

    /**
     * Waits until the subscription has processed the message at that position, wherever its members run.
     *
     * @return false if it had not within that time
     */
    public boolean awaitProcessed(String name, long position, Duration atMost) throws InterruptedException {
        try {
            processed(name, position).get(atMost.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException inVain) {
            return false;
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof RuntimeException theirs) {
                throw theirs;
            }
            throw new IllegalStateException(failed.getCause());
        }
    }

    /** The same without blocking. Cancel it, or let it time out, and it stops looking. */
    public CompletableFuture<Void> processed(String name, long position) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        crew.execute(() -> look(answer, name, position, NEXT_LOOK));
        return answer;
    }

    private void look(CompletableFuture<Void> answer, String name, long position, Duration next) {
        if (answer.isDone()) {
            return;
        }
        try {
            if (isProcessed(name, position)) {
                answer.complete(null);
                return;
            }
        } catch (RuntimeException failed) {
            answer.completeExceptionally(failed);
            return;
        }
        Duration longer = next.multipliedBy(2).compareTo(LONGEST_LOOK) > 0 ? LONGEST_LOOK : next.multipliedBy(2);
        crew.later(() -> look(answer, name, position, longer), next);
    }

    private boolean isProcessed(String name, long position) {
        return database.call("look how far subscription '" + name + "' is", connection -> {
            Found found = find(connection, name, null);
            int lane = laneOf(connection, LogTable.find(database, connection, found.log), position);
            try (PreparedStatement select = prepare(connection, OperatorSql.PROCESSED)) {
                select.setInt(1, found.id);
                select.setLong(2, position);
                select.setInt(3, found.id);
                select.setLong(4, position);
                select.setInt(5, lane);
                select.setInt(6, lane);
                select.setInt(7, found.id);
                try (ResultSet row = select.executeQuery()) {
                    row.next();
                    return row.getBoolean(1);
                }
            }
        });
    }

    /** Not there (not committed yet, or removed): -1, and every lane has to pass it. */
    private static int laneOf(Connection connection, LogTable log, long position) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(OperatorSql.ROW_LANE.formatted(log.table()))) {
            select.setLong(1, position);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getInt(1) : -1;
            }
        }
    }

    private record Found(int id, String log, String state, String target) {}

    @FunctionalInterface
    private interface Change {
        void on(Connection connection, Found found) throws SQLException;
    }

    private void change(
            String name, @Nullable String target, String what, String reason, @Nullable String detail, Change change) {
        database.call(what + " subscription '" + name + "'", connection -> {
            Found found = find(connection, OperatorSql.FIND_TO_CHANGE, name, target);
            change.on(connection, found);
            run(connection, OperatorSql.RECORD, database.who(), what, name, reason, recorded(detail, target));
            try (PreparedStatement ring = prepare(connection, OperatorSql.RING)) {
                ring.setString(1, found.log);
                ring.execute();
            }
            return true;
        });
    }

    private static @Nullable String recorded(@Nullable String detail, @Nullable String target) {
        if (target == null || target.isEmpty()) {
            return detail;
        }
        return (detail == null ? "" : detail + ", ") + "target '" + target + "'";
    }

    private Found find(Connection connection, String name, @Nullable String target) throws SQLException {
        return find(connection, OperatorSql.FIND, name, target);
    }

    private Found find(Connection connection, String sql, String name, @Nullable String target) throws SQLException {
        try (PreparedStatement select = prepare(connection, sql)) {
            select.setString(1, name);
            select.setString(2, target);
            select.setString(3, target);
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    throw new SubscriptionException("There is no subscription '" + name + "'"
                            + (target == null ? "" : " with target '" + target + "'") + " in schema '"
                            + database.schema()
                            + "': 'baton subscriptions list' shows them all.");
                }
                return new Found(row.getInt(1), row.getString(2), row.getString(3), row.getString(5));
            }
        }
    }

    private PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        return connection.prepareStatement(database.schema().in(sql));
    }

    private int run(Connection connection, String sql, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql)) {
            for (int i = 0; i < parameters.length; i++) {
                if (parameters[i] instanceof String || parameters[i] == null) {
                    statement.setString(i + 1, (String) parameters[i]);
                } else {
                    statement.setObject(i + 1, parameters[i]);
                }
            }
            statement.execute();
            return Math.max(0, statement.getUpdateCount());
        }
    }
}
