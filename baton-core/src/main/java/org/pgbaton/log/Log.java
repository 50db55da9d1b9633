package org.pgbaton.log;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.log.Rows.Row;
import org.pgbaton.session.DatabaseAccess;

/**
 * One log: to append to, and to read. Thread-safe.
 *
 * <pre>{@code
 * Log events = baton.log("events");
 * events.append(connection, Draft.json("{\"amount\": 10}").key("account-42").type("Deposited"));
 * events.appendTo("account-42", ExpectedVersion.exact(3), List.of(draft));
 * events.read().stream("account-42").list();
 * }</pre>
 *
 * <p>With a {@link Connection} the append is part of the caller's transaction, and an {@link SQLException} is the caller's
 * to deal with; without, it is a transaction of its own, tried again if PostgreSQL chose it as the victim of a deadlock, and
 * committed when the call returns: it stays in the log, whatever becomes of a transaction that the caller has open. Either way
 * all drafts of a call are appended or none, in the order in which they are given.
 *
 * <p>Without a {@link Connection}, a {@link DatabaseException} with {@link Fault#IN_TRANSACTION} says that the pool handed out a
 * connection in a transaction that is not Baton's to end.
 *
 * <p>What an outbox refuses is an {@link IllegalArgumentException} that says why; it does not cost the caller's transaction.
 *
 * <p>A draft whose id is in the log already adds nothing: the answer is the position of the row that is there, marked as
 * duplicate. If that row is in a transaction which is still open, the append waits for it to end.
 */
public final class Log {
    private static final int TRIES = 10;

    private final DatabaseAccess database;
    private final LogTable table;

    Log(DatabaseAccess database, LogTable table) {
        this.database = database;
        this.table = table;
    }

    public String name() {
        return table.name();
    }

    public int lanes() {
        return table.lanes();
    }

    /** The lane of a key, the same in every language and for ever. */
    public int laneOf(String key) {
        return table.laneOf(key);
    }

    /** In a transaction of its own, not the caller's. */
    public Appended append(Draft draft) {
        return append(List.of(draft)).get(0);
    }

    /** All or none, in this order, in a transaction of their own, not the caller's. */
    public List<Appended> append(List<Draft> drafts) {
        return onItsOwn("append to log '" + name() + "'", connection -> append(connection, drafts));
    }

    public Appended append(Connection connection, Draft draft) throws SQLException {
        return append(connection, List.of(draft)).get(0);
    }

    /** @throws IllegalStateException if the connection is in autocommit mode */
    public List<Appended> append(Connection connection, List<Draft> drafts) throws SQLException {
        requireTransaction(connection);
        requirePublishable(drafts);
        List<Appended> all = new ArrayList<>(drafts.size());
        for (List<Draft> chunk : Rows.chunks(drafts, draft -> draft)) {
            all.addAll(appendChunk(connection, chunk));
        }
        return all;
    }

    private List<Appended> appendChunk(Connection connection, List<Draft> drafts) throws SQLException {
        List<Row> rows =
                drafts.stream().map(draft -> new Row(draft, draft.key(), null)).toList();
        Map<UUID, Appended> fresh = Rows.insert(connection, rows, LogSql.UNLESS_ID_IS_THERE, this::sql);
        Map<UUID, Appended> present = fresh.size() == drafts.size()
                ? Map.of()
                : find(
                        connection,
                        drafts.stream()
                                .map(Draft::id)
                                .filter(id -> !fresh.containsKey(id))
                                .toList());
        return answers(drafts, fresh, present);
    }

    /** Twice the same id in one call: the first is appended, the second a duplicate of it. */
    List<Appended> answers(List<Draft> drafts, Map<UUID, Appended> fresh, Map<UUID, Appended> present) {
        List<Appended> answers = new ArrayList<>(drafts.size());
        Set<UUID> told = new HashSet<>();
        for (Draft draft : drafts) {
            Appended row = fresh.containsKey(draft.id()) ? fresh.get(draft.id()) : present.get(draft.id());
            if (row == null) {
                throw new LogException("The id " + draft.id() + " was in log '" + name()
                        + "' when it was appended again, and is gone now: retention removed it. Append it once more.");
            }
            answers.add(told.add(draft.id()) ? row : row.asDuplicate());
        }
        return answers;
    }

    Map<UUID, Appended> find(Connection connection, List<UUID> ids) throws SQLException {
        return Rows.find(connection, sql(LogSql.FIND_IDS), ids);
    }

    /** @see StreamAppend */
    public List<Appended> appendTo(String stream, ExpectedVersion expected, List<Draft> drafts) {
        return streams().append(stream, expected, drafts).run();
    }

    /** @see StreamAppend */
    public List<Appended> appendTo(Connection connection, String stream, ExpectedVersion expected, List<Draft> drafts)
            throws SQLException {
        return streams().append(stream, expected, drafts).run(connection);
    }

    /** An append to several streams, or one that depends on streams it does not append to. */
    public StreamAppend streams() {
        return new StreamAppend(this, table);
    }

    /** Says what to read; nothing happens until the messages are asked for. */
    public Reading read() {
        return new Reading(database, table);
    }

    String sql(String statement) {
        return database.schema().in(statement.replace("${log}", table.table()));
    }

    <T> T onItsOwn(String doing, DatabaseAccess.Work<T> work) {
        for (int tries = 1; ; tries++) {
            try {
                return database.callApart(doing, work);
            } catch (DatabaseException failure) {
                if (failure.fault() != Fault.CONFLICT || tries == TRIES) {
                    throw failure;
                }
            }
        }
    }

    /** Refuses here what the database would refuse, before it costs the caller a transaction. */
    void requirePublishable(List<Draft> drafts) {
        Integer limit = table.payloadLimit();
        if (limit != null) {
            drafts.forEach(draft -> Admission.require(draft, name(), limit));
        }
    }

    /** Whether messages are published from it, so that what could never be published is refused. */
    public boolean isOutbox() {
        return table.payloadLimit() != null;
    }

    static void requireTransaction(Connection connection) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "An append belongs to a transaction, and this connection is in autocommit mode: call "
                            + "setAutoCommit(false) first, or use your framework's transaction and its connection (in Spring "
                            + "DataSourceUtils.getConnection).");
        }
    }

    @Override
    public String toString() {
        return "log '" + name() + "'";
    }
}
