package org.pgbaton.table;

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
import org.pgbaton.log.Appended;
import org.pgbaton.log.Draft;
import org.pgbaton.log.ExpectedVersion;
import org.pgbaton.log.Log;
import org.pgbaton.log.LogException;
import org.pgbaton.log.Reading;
import org.pgbaton.log.StreamAppend;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.table.Rows.Row;

/** A log in its table. Thread-safe. */
final class TableLog implements Log {
    private static final int TRIES = 10;

    private final DatabaseAccess database;
    private final LogTable table;

    TableLog(DatabaseAccess database, LogTable table) {
        this.database = database;
        this.table = table;
    }

    @Override
    public String name() {
        return table.name();
    }

    @Override
    public int lanes() {
        return table.lanes();
    }

    @Override
    public int laneOf(String key) {
        return table.laneOf(key);
    }

    @Override
    public Appended append(Draft draft) {
        return append(List.of(draft)).get(0);
    }

    @Override
    public List<Appended> append(List<Draft> drafts) {
        return onItsOwn("append to log '" + name() + "'", connection -> append(connection, drafts));
    }

    @Override
    public Appended append(Connection connection, Draft draft) throws SQLException {
        return append(connection, List.of(draft)).get(0);
    }

    @Override
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
            answers.add(told.add(draft.id()) ? row : Rows.duplicate(row));
        }
        return answers;
    }

    Map<UUID, Appended> find(Connection connection, List<UUID> ids) throws SQLException {
        return Rows.find(connection, sql(LogSql.FIND_IDS), ids);
    }

    @Override
    public List<Appended> appendTo(String stream, ExpectedVersion expected, List<Draft> drafts) {
        return streams().append(stream, expected, drafts).run();
    }

    @Override
    public List<Appended> appendTo(Connection connection, String stream, ExpectedVersion expected, List<Draft> drafts)
            throws SQLException {
        return streams().append(stream, expected, drafts).run(connection);
    }

    @Override
    public StreamAppend streams() {
        return new LockingAppend(this, table);
    }

    @Override
    public Reading read() {
        return new PagedReading(database, table);
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

    @Override
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
