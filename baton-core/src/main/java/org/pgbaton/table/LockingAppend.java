package org.pgbaton.table;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.pgbaton.json.StorableText;
import org.pgbaton.log.Appended;
import org.pgbaton.log.Draft;
import org.pgbaton.log.ExpectedVersion;
import org.pgbaton.log.LogException;
import org.pgbaton.log.StreamAppend;
import org.pgbaton.log.VersionConflict;
import org.pgbaton.table.Rows.Row;

/**
 * An append to streams under locks. See {@link StreamAppend} for the guarantee.
 *
 * <p>Protocol, in READ COMMITTED, behind a savepoint:
 *
 * <ol>
 *   <li>An advisory lock for each stream, in one order for everybody: exclusive to append, shared to require. It is
 *       held until the transaction ends, so the second of two writers waits for the first to commit or roll back.
 *   <li>In a later statement the versions are read and compared. Drafts whose id is in the log already are left out; a
 *       stream for which no draft is left is not compared, since its expectation was met when they were appended.
 *   <li>The rest is inserted with the next versions. Who inserts a version with plain SQL takes no lock: the unique
 *       index decides, and if this call loses it rolls back to the savepoint and starts again. Such an insert is not
 *       noticed by {@link #require}, unless it is committed before.
 * </ol>
 *
 * <p>Not thread-safe.
 */
final class LockingAppend implements StreamAppend {
    private static final int MOST_STREAMS = 1000;
    private static final int TRIES = 100;

    private final TableLog log;
    private final LogTable table;
    private final Map<String, Part> parts = new LinkedHashMap<>();

    private record Part(ExpectedVersion expected, List<Draft> drafts, boolean shared) {}

    LockingAppend(TableLog log, LogTable table) {
        this.log = log;
        this.table = table;
    }

    @Override
    public StreamAppend append(String stream, ExpectedVersion expected, List<Draft> drafts) {
        log.requirePublishable(drafts);
        for (Draft draft : drafts) {
            if (draft.key() != null && !draft.key().equals(stream)) {
                throw new IllegalArgumentException("The draft has the key '" + draft.key()
                        + "' and cannot go to stream '" + stream + "': leave the key out.");
            }
        }
        return add(stream, new Part(expected, List.copyOf(drafts), false));
    }

    @Override
    public StreamAppend require(String stream, ExpectedVersion expected) {
        return add(stream, new Part(expected, List.of(), true));
    }

    private StreamAppend add(String stream, Part part) {
        if (parts.putIfAbsent(StorableText.key(stream), part) != null) {
            throw new IllegalArgumentException(
                    "Stream '" + stream + "' is named twice: give all its drafts and its expectation at once.");
        }
        if (parts.size() > MOST_STREAMS) {
            throw new IllegalArgumentException(
                    "One append takes a lock for each of its streams, and " + MOST_STREAMS + " are enough: split it.");
        }
        return this;
    }

    @Override
    public List<Appended> run() {
        return log.onItsOwn("append to streams of log '" + log.name() + "'", this::run);
    }

    @Override
    public List<Appended> run(Connection connection) throws SQLException {
        TableLog.requireTransaction(connection);
        if (parts.isEmpty()) {
            return List.of();
        }
        Savepoint before = connection.setSavepoint();
        try {
            List<Appended> answers = untilNobodyIsInTheWay(connection, before);
            connection.releaseSavepoint(before);
            return answers;
        } catch (SQLException | RuntimeException failure) {
            try {
                connection.rollback(before);
                connection.releaseSavepoint(before);
            } catch (SQLException broken) {
                failure.addSuppressed(broken);
            }
            throw failure;
        }
    }

    private List<Appended> untilNobodyIsInTheWay(Connection connection, Savepoint before) throws SQLException {
        for (int tries = 1; tries <= TRIES; tries++) {
            Map<String, Long> versions = lock(connection);
            // An id is looked for only if there is reason to believe that it is there.
            Map<UUID, Appended> present = tries == 1 && conflict(versions, Map.of()) == null
                    ? Map.of()
                    : log.find(connection, drafts().stream().map(Draft::id).toList());
            VersionConflict conflict = conflict(versions, present);
            if (conflict != null) {
                throw conflict;
            }
            List<Row> rows = rows(versions, present);
            Map<UUID, Appended> fresh = insert(connection, rows);
            if (fresh.size() == rows.size()) {
                return log.answers(drafts(), fresh, present);
            }
            connection.rollback(before);
        }
        throw new LogException("Others write to the same streams of log '" + log.name()
                + "' without locking them; gave up after " + TRIES + " tries. Let them call lock_streams() first.");
    }

    private Map<String, Long> lock(Connection connection) throws SQLException {
        Map<String, Long> versions = new HashMap<>();
        try (PreparedStatement lock = connection.prepareStatement(log.sql(LogSql.LOCK_STREAMS))) {
            lock.setLong(1, table.relation());
            lock.setArray(2, connection.createArrayOf("text", parts.keySet().toArray()));
            lock.setArray(
                    3,
                    connection.createArrayOf(
                            "bool", parts.values().stream().map(Part::shared).toArray()));
            try (ResultSet row = lock.executeQuery()) {
                while (row.next()) {
                    requireReadCommitted(row.getString(3));
                    long version = row.getLong(2);
                    if (!row.wasNull()) {
                        versions.put(row.getString(1), version);
                    }
                }
            }
        }
        return versions;
    }

    /** An older snapshot would not see what the holder of the lock committed while we waited for it. */
    private static void requireReadCommitted(String isolation) {
        if (!isolation.equals("read committed")) {
            throw new IllegalStateException(
                    "An append to streams needs the isolation level READ COMMITTED, and this transaction has "
                            + isolation + ": the snapshot may be older than the stream's last message.");
        }
    }

    private @Nullable VersionConflict conflict(Map<String, Long> versions, Map<UUID, Appended> present) {
        for (Map.Entry<String, Part> each : parts.entrySet()) {
            Part part = each.getValue();
            boolean done =
                    !part.drafts.isEmpty() && part.drafts.stream().allMatch(draft -> present.containsKey(draft.id()));
            Long actual = versions.get(each.getKey());
            if (!done && !part.expected.accepts(actual)) {
                return new VersionConflict(log.name(), each.getKey(), part.expected, actual);
            }
        }
        return null;
    }

    private List<Row> rows(Map<String, Long> versions, Map<UUID, Appended> present) {
        Map<UUID, Row> rows = new LinkedHashMap<>();
        parts.forEach((stream, part) -> {
            long version = versions.getOrDefault(stream, 0L);
            for (Draft draft : part.drafts) {
                if (!present.containsKey(draft.id()) && !rows.containsKey(draft.id())) {
                    rows.put(draft.id(), new Row(draft, stream, ++version));
                }
            }
        });
        return new ArrayList<>(rows.values());
    }

    private Map<UUID, Appended> insert(Connection connection, List<Row> rows) throws SQLException {
        Map<UUID, Appended> fresh = new HashMap<>();
        for (List<Row> chunk : Rows.chunks(rows, Row::draft)) {
            fresh.putAll(Rows.insert(connection, chunk, LogSql.UNLESS_ID_OR_VERSION_IS_THERE, log::sql));
        }
        return fresh;
    }

    private List<Draft> drafts() {
        return parts.values().stream().flatMap(part -> part.drafts.stream()).toList();
    }
}
