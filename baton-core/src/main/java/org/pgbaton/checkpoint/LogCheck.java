package org.pgbaton.checkpoint;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.LogException;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Sql;
import org.pgbaton.table.LogTable;

/** Looks whether a log is as subscriptions need it, as this process's role sees it. Thread-safe. */
public final class LogCheck {
    private static final String UNSAFE =
            "SELECT l.name, u.grave, u.problem, u.remedy FROM pg_catalog.unnest(?::pg_catalog.text[]) AS l (name) CROSS JOIN ${schema}.unsafe(l.name) AS u";
    private static final String POSITIONS = """
            SELECT CASE WHEN has_sequence_privilege(l.sequence, 'SELECT') THEN coalesce(pg_sequence_last_value(l.sequence), 0) END,
                   coalesce((SELECT max(c.position) FROM ${schema}.checkpoint c
                               JOIN ${schema}.subscription s ON s.id = c.subscription WHERE s.log = l.name), 0)
              FROM ${schema}.log l WHERE l.name = ?""";

    private final DatabaseAccess database;
    private final Sql sql;

    public LogCheck(DatabaseAccess database) {
        this.database = database;
        this.sql = new Sql(database.schema());
    }

    /** Changes that somebody made to the log, and that subscriptions cannot live with. */
    public List<UnsafeLog> unsafe(LogTable log) {
        return unsafe(Set.of(log.name())).getOrDefault(log.name(), List.of());
    }

    /** The same for several logs, by their names, in one statement. A log that is as it should be is missing. */
    public Map<String, List<UnsafeLog>> unsafe(Set<String> logs) {
        return database.ask("check the logs " + logs, connection -> {
            Map<String, List<UnsafeLog>> found = new HashMap<>();
            sql.all(
                    connection,
                    UNSAFE,
                    row -> found.computeIfAbsent(row.getString(1), name -> new ArrayList<>())
                            .add(new UnsafeLog(row.getBoolean(2), row.getString(3), row.getString(4))),
                    Sql.texts(logs));
            return found;
        });
    }

    /** @param drawn null if the sequence may not be read */
    private record Positions(@Nullable Long drawn, long read) {}

    /**
     * A sequence that went back would give positions out again below what has been read.
     *
     * @throws LogException that says what is wrong
     */
    public void require(LogTable log) {
        List<UnsafeLog> unsafe = unsafe(log);
        if (!unsafe.isEmpty()) {
            throw new LogException(UnsafeLog.describe(log.name(), unsafe));
        }
        database.call("check the log '" + log.name() + "'", connection -> {
            long last = sql.number(connection, "SELECT coalesce(max(position), 0) FROM " + log.table());
            Positions positions = sql.all(
                            connection,
                            POSITIONS,
                            row -> new Positions(row.getObject(1, Long.class), row.getLong(2)),
                            log.name())
                    .get(0);
            Long drawn = positions.drawn;
            if (drawn == null) {
                throw new LogException(
                        "The sequence of log '" + log.name() + "' may not be read by this user: grant it, for "
                                + "instance with the script that 'baton migrate --print-roles' prints.");
            }
            long needed = Math.max(last, positions.read);
            if (drawn < needed) {
                throw new LogException("The sequence of log '" + log.name() + "' is at " + drawn + ", but position "
                        + needed + " has been used: new messages would be missed. Set it with SELECT setval('"
                        + log.table() + "_position', ...) to " + needed + " or more.");
            }
            return true;
        });
    }
}
