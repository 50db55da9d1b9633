package org.pgbaton.proofs.subscription;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.pgbaton.frontier.Frontier;
import org.pgbaton.testkit.TestDatabase;

/**
 * A reader without members, epochs and doorbells, that makes one mistake, or none. It is here to show that the checker finds
 * the mistake.
 */
final class WrongReader {
    enum Mistake {
        NONE,
        /** Reads everything above the checkpoint. */
        NAIVE,
        /** Reads by transaction id, only transactions that are older than every open one. */
        XMIN,
        /** A writer seen for the first time gets the end of this look as its floor, not of the one before. */
        FLOOR_OF_THIS_LOOK
    }

    private static final int LANES = 16;
    private static final String END = "SELECT coalesce(pg_sequence_last_value('baton.events_position'), 0)";
    private static final String WRITERS = """
            SELECT virtualtransaction, objid::bigint::integer FROM pg_locks
             WHERE locktype = 'advisory' AND objsubid = 2 AND granted AND mode = 'ShareLock' AND objid < 16
               AND classid = 'baton.events'::regclass
               AND database = (SELECT oid FROM pg_database WHERE datname = current_database())""";

    private final TestDatabase database;
    private final Mistake mistake;
    private final long[] reached = new long[LANES];
    private long reachedTransaction;
    private List<Frontier.Writer> before = List.of();
    private final Thread thread;
    private volatile boolean stopped;

    private WrongReader(TestDatabase database, Mistake mistake) {
        this.database = database;
        this.mistake = mistake;
        this.thread = new Thread(this::run, "wrong-reader");
        thread.setDaemon(true);
    }

    static WrongReader start(TestDatabase database, Mistake mistake) {
        WrongReader reader = new WrongReader(database, mistake);
        reader.thread.start();
        return reader;
    }

    private void run() {
        Frontier frontier = new Frontier(LANES);
        try (Connection connection = database.connect()) {
            while (!stopped) {
                if (mistake == Mistake.XMIN) {
                    readByTransaction(connection);
                } else {
                    read(connection, look(connection, frontier));
                }
                LockSupport.parkNanos(2_000_000);
            }
        } catch (SQLException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }

    private long[] look(Connection connection, Frontier frontier) throws SQLException {
        long end = number(connection, END);
        if (mistake == Mistake.NAIVE) {
            return new Frontier(LANES).advance(Long.MAX_VALUE, List.of());
        }
        List<Frontier.Writer> writers = writers(connection);
        if (mistake == Mistake.FLOOR_OF_THIS_LOOK) {
            frontier.advance(end, known(writers));
        }
        return frontier.advance(end, writers);
    }

    /**
     * The writers of the look before. So it is as if this look had followed a look with this end and without the new
     * writers.
     */
    private List<Frontier.Writer> known(List<Frontier.Writer> writers) {
        List<Frontier.Writer> known = new ArrayList<>(writers);
        known.retainAll(before);
        before = writers;
        return known;
    }

    static List<Frontier.Writer> writers(Connection connection) throws SQLException {
        List<Frontier.Writer> writers = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(WRITERS)) {
            while (row.next()) {
                writers.add(new Frontier.Writer(row.getString(1), row.getInt(2)));
            }
        }
        return writers;
    }

    static long end(Connection connection) throws SQLException {
        return number(connection, END);
    }

    private static long number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    private void read(Connection connection, long[] frontier) throws SQLException {
        Map<Integer, Long> last = new HashMap<>();
        try (PreparedStatement select = connection.prepareStatement("""
                        SELECT position, lane, key FROM baton.events e
                          JOIN unnest(?, ?) WITH ORDINALITY AS b (reached, frontier, n) ON lane = n - 1
                         WHERE position > reached AND position <= frontier ORDER BY position""");
                PreparedStatement insert = insert(connection)) {
            select.setArray(1, connection.createArrayOf("int8", boxed(reached)));
            select.setArray(2, connection.createArrayOf("int8", boxed(frontier)));
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    add(insert, row.getLong(1), row.getString(3));
                    last.put(row.getInt(2), row.getLong(1));
                }
            }
            insert.executeBatch();
        }
        last.forEach((lane, position) -> reached[lane] = position);
    }

    private static Long[] boxed(long[] numbers) {
        Long[] all = new Long[numbers.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = numbers[i];
        }
        return all;
    }

    private void readByTransaction(Connection connection) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("""
                        SELECT position, key, xmin::text::bigint FROM baton.events
                         WHERE xmin::text::bigint > ? AND xmin::text::bigint < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
                         ORDER BY 3, 1""");
                PreparedStatement insert = insert(connection)) {
            select.setLong(1, reachedTransaction);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    add(insert, row.getLong(1), row.getString(2));
                    reachedTransaction = row.getLong(3);
                }
            }
            insert.executeBatch();
        }
    }

    private PreparedStatement insert(Connection connection) throws SQLException {
        return connection.prepareStatement("INSERT INTO public.handled (subscription, position, key) VALUES (?, ?, ?)");
    }

    private void add(PreparedStatement insert, long position, String key) throws SQLException {
        insert.setString(1, mistake.name());
        insert.setLong(2, position);
        insert.setString(3, key);
        insert.addBatch();
    }

    void stop() throws InterruptedException {
        stopped = true;
        thread.join();
    }
}
