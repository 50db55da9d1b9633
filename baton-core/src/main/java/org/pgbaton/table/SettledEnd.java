package org.pgbaton.table;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.pgbaton.log.LogException;

/**
 * The end of a log, for somebody who looks once: a position below which no row can appear any more.
 *
 * <ol>
 *   <li>The end is the last position that was given out.
 *   <li>In a later statement: who holds a lane's lock, hence has written and not yet ended. A row below the end that
 *       is not visible yet belongs to one of them, because a writer takes the lock before it draws the position.
 *   <li>Wait until each of them has ended; a commit is visible before its locks go. New writers draw positions above the end.
 * </ol>
 *
 * <p>All on one connection: over a restart of the server a prepared transaction changes its name.
 */
final class SettledEnd {
    private static final long PAUSE_MILLIS = 10;

    private SettledEnd() {}

    /** @throws LogException if somebody is still writing after that time */
    static long find(Connection connection, LogTable table, Duration patience) throws SQLException {
        long start = System.nanoTime();
        long end = end(connection, table);
        Set<String> open = writers(connection, table);
        while (!open.isEmpty()) {
            if (System.nanoTime() - start >= patience.toNanos()) {
                throw new LogException("Log '" + table.name() + "' cannot be read to its end: rows of "
                        + describe(connection, table, open)
                        + " can still appear in between. Let them end, wait longer, or read unsettled.");
            }
            pause(table);
            open.retainAll(writers(connection, table));
        }
        return end;
    }

    private static void pause(LogTable table) {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new LogException("Reading log '" + table.name() + "' was interrupted while it waited for writers.");
        }
    }

    private static long end(Connection connection, LogTable table) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(LogSql.END)) {
            select.setLong(1, table.sequence());
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private static Set<String> writers(Connection connection, LogTable table) throws SQLException {
        Set<String> writers = new HashSet<>();
        try (PreparedStatement select = connection.prepareStatement(LogSql.OPEN_WRITERS)) {
            select.setLong(1, table.relation());
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    writers.add(row.getString(1));
                }
            }
        }
        return writers;
    }

    private static String describe(Connection connection, LogTable table, Set<String> open) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(LogSql.DESCRIBE_WRITERS)) {
            select.setLong(1, table.relation());
            select.setArray(2, connection.createArrayOf("text", open.toArray()));
            try (ResultSet row = select.executeQuery()) {
                row.next();
                String who = row.getString(1);
                return who == null ? "a transaction" : who;
            }
        }
    }
}
