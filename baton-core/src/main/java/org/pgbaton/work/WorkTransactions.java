package org.pgbaton.work;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.handling.HandlerWatch;
import org.pgbaton.handling.SubscriptionOptions;
import org.pgbaton.lane.Lane;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.subscription.Transactions;

/**
 * The transactions in which one member works for its lanes. Each begins with {@link #beginWork} and is closed with the token that it gives:
 * by {@link WorkSql#close} or {@link WorkSql#fence}, which fail unless the lanes are still ours. Thread-safe.
 */
public final class WorkTransactions implements Transactions {
    private final SubscriptionOptions options;
    private final DatabaseAccess database;
    private final WorkSql sql;

    public WorkTransactions(SubscriptionOptions options, DatabaseAccess database, WorkSql sql) {
        this.options = options;
        this.database = database;
        this.sql = sql;
    }

    /** For a handler that writes: the application's own transactions, if it has a transaction manager. */
    public Transactions ofHandler() {
        Transactions own = options.transactions();
        return own == null ? this : own;
    }

    /** A transaction of Baton's own, with the search_path of the user. */
    @Override
    public void run(Work work) throws Exception {
        database.run("work for " + options, DatabaseAccess.Names.THEIRS, false, null, work::on);
    }

    /** The same under the lane's epoch: if the lane is not ours any more, nothing is done. */
    public void runFenced(Lane lane, Work work) throws Exception {
        run(connection -> {
            sql.fence(connection, beginWork(connection, lane), lane);
            work.on(connection);
        });
    }

    /** Statements that go to the server together, outside any transaction of ours. */
    public <T> T ask(String doing, DatabaseAccess.Work<T> work) {
        return database.ask(doing, work);
    }

    /** Moves checkpoints, and nothing else: one statement in one round trip. */
    public void closeAtOnce(Map<Lane, Long> reached) {
        database.ask("work for " + options, connection -> {
            sql.closeAtOnce(connection, UUID.randomUUID().toString(), reached);
            return true;
        });
    }

    public String beginWork(Connection connection, Lane lane) throws SQLException {
        return beginWork(connection, List.of(lane));
    }

    /**
     * The first statement of every transaction that works for lanes. It fails unless the transaction is on the server, and in the history,
     * in which the lanes are ours.
     *
     * @return the token with which this transaction is to be closed
     */
    public String beginWork(Connection connection, Collection<Lane> lanes) throws SQLException {
        String token = UUID.randomUUID().toString();
        WorkSql.Begun begun = sql.beginWork(
                connection, options.limit().plus(HandlerWatch.GRACE).toMillis(), token, lanes);
        for (Lane lane : lanes) {
            lane.requireHistory(begun.timeline());
        }
        if (!begun.isolation().equals("read committed")) {
            throw new DatabaseException(
                    Fault.UNSUITABLE,
                    "The transactions of " + options + " are " + begun.isolation()
                            + ", and an older snapshot would miss messages: use READ COMMITTED for them.");
        }
        return token;
    }
}
