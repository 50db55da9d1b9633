package org.pgbaton.subscription;

import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;

/**
 * What operators do with subscriptions, from any process: look, pause, resume, rewind, switch a rebuilt target over, delete;
 * retry and skip what is parked. Everything that changes something is one transaction, is recorded with who and why, and is seen by the
 * members at once if they listen, else within a second. Thread-safe.
 */
public final class Subscriptions {
    private final Crew crew;
    private final Operator operator;
    private final ParkedKeys parkedKeys;

    /** Null: the live one. */
    private final @Nullable String chosen;

    Subscriptions(Crew crew) {
        this(crew, null);
    }

    private Subscriptions(Crew crew, @Nullable String chosen) {
        this.crew = crew;
        this.operator = new Operator(crew.database());
        this.parkedKeys = new ParkedKeys(operator, chosen);
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
        return operator.database.call(
                "read the subscriptions",
                connection -> operator.all(connection, OperatorSql.LIST, Subscriptions::status));
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
                Operator.instant(row, "created_at"));
    }

    /** Nothing new is begun by any member, until it is resumed. */
    public void pause(String name, String reason) {
        operator.change(
                name,
                chosen,
                "pause",
                reason,
                null,
                (connection, found) -> operator.run(connection, OperatorSql.SET_STATE, "paused", reason, found.id()));
    }

    /** Goes on after a pause, or after it stopped itself. */
    public void resume(String name, String reason) {
        operator.change(name, chosen, "resume", reason, null, (connection, found) -> {
            if (found.state().equals("retired")) {
                throw new SubscriptionException("Subscription '" + name + "' is retired, and cannot be resumed.");
            }
            operator.run(connection, OperatorSql.SET_STATE, "running", null, found.id());
        });
    }

    /**
     * Handles everything after that position again; lanes that have not come so far stay where they are. A projection that is not
     * idempotent must be emptied first.
     */
    public void rewind(String name, long position, String reason) {
        if (position < 0) {
            throw new IllegalArgumentException("Cannot rewind to position " + position + ": 0 is the origin.");
        }
        operator.change(name, chosen, "rewind", reason, "to position " + position, (connection, found) -> {
            long removed = operator.number(connection, OperatorSql.PIN_LOG, found.log());
            if (position > 0 && position < removed) {
                throw new SubscriptionException("Subscription '" + name + "' cannot be rewound to position " + position
                        + ": retention has removed everything up to " + removed
                        + ". Rewind to that, or to the origin (0) for all "
                        + "that is left.");
            }
            long furthest = operator.lockCheckpoints(connection, found.id());
            if (position > furthest) {
                throw new SubscriptionException("Subscription '" + name + "' is at position " + furthest
                        + ", and cannot be rewound to " + position + ": that would skip messages.");
            }
            operator.run(connection, OperatorSql.REWIND, position, found.id());
            operator.run(connection, OperatorSql.NEXT_GENERATION, position, found.id());
            operator.run(connection, OperatorSql.FORGET_PARKED_MESSAGES, found.id(), position);
            operator.run(connection, OperatorSql.FORGET_EMPTY_KEYS, found.id());
        });
    }

    /** How many positions the target is behind the live one, in its slowest lane. 0: it can be switched over. */
    public long behindLive(String name, String target) {
        return new SwitchOver(operator).behindLive(name, target);
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
        new SwitchOver(operator).run(name, target, reason, patience, alsoDo);
    }

    /** Forgets it: its checkpoints and parked keys. No member may be alive. */
    public void delete(String name, @Nullable String target, String reason) {
        operator.change(name, target, "delete", reason, null, (connection, found) -> {
            operator.run(connection, OperatorSql.LOCK_TO_DELETE, found.id());
            String alive = alive(connection, found.id());
            if (alive != null) {
                throw new SubscriptionException(
                        "Subscription '" + name + "' has live members (" + alive + "): stop them first.");
            }
            operator.lockCheckpoints(connection, found.id());
            operator.run(connection, OperatorSql.FORGET_PARKED_MESSAGES, found.id(), -1L);
            operator.run(connection, OperatorSql.FORGET_EMPTY_KEYS, found.id());
            operator.run(connection, OperatorSql.DELETE_CHECKPOINTS, found.id());
            operator.run(connection, OperatorSql.DELETE, found.id());
        });
    }

    private @Nullable String alive(Connection connection, int subscription) throws SQLException {
        return operator.all(connection, OperatorSql.ALIVE, row -> row.getString(1), subscription)
                .get(0);
    }

    /** Keys that are set aside, of one subscription or of all. */
    public List<ParkedKey> parked(@Nullable String name) {
        return parkedKeys.list(name);
    }

    /** The messages of a parked key that wait, in order, from after the given position. */
    public List<Message> parkedMessages(String name, String key, long after, int most) {
        return parkedKeys.messages(name, key, after, most);
    }

    /**
     * Tries a parked key again, at once and with all its attempts.
     *
     * @return false if the key is not parked
     */
    public boolean retry(String name, String key, String reason) {
        return parkedKeys.retry(name, key, null, reason) > 0;
    }

    /**
     * Tries all keys again whose error contains this text.
     *
     * @return how many
     */
    public int retryAll(String name, @Nullable String errorContains, String reason) {
        return parkedKeys.retry(name, null, errorContains, reason);
    }

    /**
     * Skips the first message of a parked key for good, and goes on with the next.
     *
     * @param position of that message, so that nothing else is skipped by mistake
     */
    public void skip(String name, String key, long position, String reason) {
        parkedKeys.skip(name, key, position, reason);
    }

    /** What was done, the latest first. */
    public List<Action> actions(int most) {
        return operator.database.call(
                "read the actions",
                connection -> operator.all(
                        connection,
                        OperatorSql.ACTIONS,
                        row -> new Action(
                                Operator.instant(row, "at"),
                                row.getString(2),
                                row.getString(3),
                                row.getString(4),
                                row.getString(5),
                                row.getString(6),
                                row.getString(7)),
                        most));
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
        return new Processed(crew, operator).await(name, position);
    }
}
