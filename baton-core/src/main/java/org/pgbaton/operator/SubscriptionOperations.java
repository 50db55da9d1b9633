package org.pgbaton.operator;

import java.sql.Array;
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
import org.pgbaton.session.BackgroundTasks;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Sql;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.subscription.OperatorAction;
import org.pgbaton.subscription.ParkedKey;
import org.pgbaton.subscription.SubscriptionException;
import org.pgbaton.subscription.SubscriptionStatus;
import org.pgbaton.subscription.SubscriptionStatus.State;
import org.pgbaton.subscription.Subscriptions;
import org.pgbaton.subscription.Transactions;

/** What operators do with subscriptions, by statements to the database. Thread-safe. */
public final class SubscriptionOperations implements Subscriptions {
    private final OperatorTransactions operator;
    private final BackgroundTasks background;
    private final ParkedKeys parkedKeys;

    /** Null: the live one. */
    private final @Nullable String chosen;

    /** @param background where it is waited for messages that are not processed yet */
    public SubscriptionOperations(DatabaseAccess database, BackgroundTasks background) {
        this(new OperatorTransactions(database), background, null);
    }

    private SubscriptionOperations(OperatorTransactions operator, BackgroundTasks background, @Nullable String chosen) {
        this.operator = operator;
        this.background = background;
        this.parkedKeys = new ParkedKeys(operator, chosen);
        this.chosen = chosen;
    }

    @Override
    public Subscriptions ofTarget(String beside) {
        return new SubscriptionOperations(operator, background, beside);
    }

    @Override
    public Subscriptions by(String who) {
        return new SubscriptionOperations(
                new OperatorTransactions(operator.database().as(who)), background, chosen);
    }

    @Override
    public List<SubscriptionStatus> list() {
        return operator.database()
                .call(
                        "read the subscriptions",
                        connection -> operator.sql().all(connection, OperatorSql.LIST, SubscriptionOperations::status));
    }

    private static SubscriptionStatus status(ResultSet row) throws SQLException {
        Array names = row.getArray("member_names");
        return new SubscriptionStatus(
                row.getString("name"),
                row.getString("target"),
                row.getBoolean("live"),
                row.getString("log"),
                MessageOrder.of(row.getString("ordering")),
                State.of(row.getString("state")),
                row.getString("note"),
                new SubscriptionStatus.Ownership(
                        row.getInt("lanes"),
                        row.getInt("lanes_owned"),
                        names == null ? List.of() : List.of((String[]) names.getArray())),
                new SubscriptionStatus.Backlog(
                        row.getLong("position"),
                        row.getLong("lag_positions"),
                        Duration.ofNanos((long) (row.getDouble("lag") * 1e9)),
                        row.getString("held_back_by")),
                new SubscriptionStatus.Keys(row.getInt("parked_keys"), row.getInt("set_aside_keys")),
                row.getLong("epoch"),
                Sql.instant(row, "created_at"));
    }

    @Override
    public void pause(String name, String reason) {
        operator.change(
                name,
                chosen,
                "pause",
                reason,
                null,
                (connection, found) ->
                        operator.sql().run(connection, OperatorSql.SET_STATE, "paused", reason, found.id()));
    }

    @Override
    public void resume(String name, String reason) {
        operator.change(name, chosen, "resume", reason, null, (connection, found) -> {
            if (found.state() == State.RETIRED) {
                throw new SubscriptionException("Subscription '" + name + "' is retired, and cannot be resumed.");
            }
            operator.sql().run(connection, OperatorSql.SET_STATE, "running", null, found.id());
        });
    }

    @Override
    public void rewind(String name, long position, String reason) {
        if (position < 0) {
            throw new IllegalArgumentException("Cannot rewind to position " + position + ": 0 is the origin.");
        }
        operator.change(name, chosen, "rewind", reason, "to position " + position, (connection, found) -> {
            long removed = operator.sql().number(connection, OperatorSql.PIN_LOG, found.log());
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
            operator.sql().run(connection, OperatorSql.REWIND, position, found.id());
            operator.sql().run(connection, OperatorSql.NEXT_GENERATION, position, found.id());
            operator.sql().run(connection, OperatorSql.FORGET_PARKED_MESSAGES, found.id(), position);
            operator.sql().run(connection, OperatorSql.FORGET_EMPTY_KEYS, found.id());
        });
    }

    @Override
    public long behindLive(String name, String target) {
        return new SwitchOver(operator).behindLive(name, target);
    }

    @Override
    public void switchOver(String name, String target, String reason, Duration patience, Transactions.Work alsoDo) {
        new SwitchOver(operator).run(name, target, reason, patience, alsoDo);
    }

    @Override
    public void delete(String name, @Nullable String target, String reason) {
        operator.change(name, target, "delete", reason, null, (connection, found) -> {
            operator.sql().run(connection, OperatorSql.LOCK_TO_DELETE, found.id());
            String alive = operator.alive(connection, found.id());
            if (alive != null) {
                throw new SubscriptionException(
                        "Subscription '" + name + "' has live members (" + alive + "): stop them first.");
            }
            operator.lockCheckpoints(connection, found.id());
            operator.sql().run(connection, OperatorSql.FORGET_PARKED_MESSAGES, found.id(), -1L);
            operator.sql().run(connection, OperatorSql.FORGET_EMPTY_KEYS, found.id());
            operator.sql().run(connection, OperatorSql.DELETE_CHECKPOINTS, found.id());
            operator.sql().run(connection, OperatorSql.DELETE, found.id());
        });
    }

    @Override
    public List<ParkedKey> parked(@Nullable String name) {
        return parkedKeys.list(name);
    }

    @Override
    public List<Message> parkedMessages(String name, String key, long after, int most) {
        return parkedKeys.messages(name, key, after, most);
    }

    @Override
    public boolean retry(String name, String key, String reason) {
        return parkedKeys.retry(name, key, null, reason) > 0;
    }

    @Override
    public int retryAll(String name, @Nullable String errorContains, String reason) {
        return parkedKeys.retry(name, null, errorContains, reason);
    }

    @Override
    public void skip(String name, String key, long position, String reason) {
        parkedKeys.skip(name, key, position, reason);
    }

    @Override
    public List<OperatorAction> actions(int most) {
        return operator.database()
                .call(
                        "read the actions",
                        connection -> operator.sql()
                                .all(
                                        connection,
                                        OperatorSql.ACTIONS,
                                        row -> new OperatorAction(
                                                Sql.instant(row, "at"),
                                                row.getString(2),
                                                row.getString(3),
                                                row.getString(4),
                                                row.getString(5),
                                                row.getString(6),
                                                row.getString(7)),
                                        most));
    }

    @Override
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

    @Override
    public CompletableFuture<Void> processed(String name, long position) {
        return new Processed(background, operator).await(name, position);
    }
}
