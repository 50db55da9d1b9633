package org.pgbaton.bench.capture;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.pgbaton.Baton;
import org.pgbaton.bench.Arena;
import org.pgbaton.bench.Arrivals;
import org.pgbaton.bench.Place;

/**
 * A database with the table, a publication, and a slot for each contestant from before the first change: so all of them read the same
 * WAL. Publication and one slot are those of a capture that has begun and waits. Closing drops it all.
 */
final class Wal implements AutoCloseable {
    static final String CAPTURE = "bench";
    static final String PUBLICATION = "baton_" + CAPTURE;

    private static final long PATIENCE = Duration.ofSeconds(30).toNanos();

    private final Place place;
    private String end = "0/0";

    private Wal(Place place) {
        this.place = place;
    }

    /** @param slots of everybody else */
    static Wal prepare(Arena arena, List<String> slots) throws SQLException, InterruptedException {
        Wal wal = new Wal(arena.place());
        try {
            wal.place.execute(Orders.PREPARATIONS);
            wal.place.execute(TableSink.TABLE);
            wal.beginCapture();
            for (String slot : slots) {
                wal.place.execute("SELECT pg_create_logical_replication_slot('" + wal.slot(slot) + "', 'pgoutput')");
            }
            return wal;
        } catch (SQLException | InterruptedException | RuntimeException failed) {
            wal.close();
            throw failed;
        }
    }

    private void beginCapture() throws SQLException, InterruptedException {
        try (Baton baton = Baton.open(place.url())) {
            BatonCapture.start(baton, place.name());
            long patience = System.nanoTime() + PATIENCE;
            while (place.number("SELECT count(*) FROM baton.capture_status WHERE state = 'running'") == 0) {
                if (System.nanoTime() > patience) {
                    throw new IllegalStateException("the capture does not begin");
                }
                Thread.sleep(20);
            }
        }
    }

    /** Slots of all databases share their names. */
    String slot(String of) {
        return place.name() + "_" + of;
    }

    Place place() {
        return place;
    }

    /**
     * The place behind all changes but the last one, which is alone in its transaction. A reader that gets there is
     * done.
     */
    String end() {
        return end;
    }

    /** Makes so many changes. */
    void fill(int rows) throws SQLException {
        place.execute("SET synchronous_commit = off", "CALL public.change_orders(0, " + (rows - 2) + ")");
        try (Connection connection = DriverManager.getConnection(place.url());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_current_wal_insert_lsn()::text")) {
            row.next();
            end = row.getString(1);
        }
        place.execute(
                "CALL public.change_orders(" + (rows - 1) + ", " + (rows - 1) + ")",
                "VACUUM (ANALYZE) " + Orders.TABLE,
                "CHECKPOINT");
    }

    /** The changes in a table, in the order of its positions. */
    Arrivals read(String table, int rows) throws SQLException {
        Arrivals arrivals = new Arrivals(rows, 1);
        for (int number : Orders.numbersIn(place.url(), table)) {
            arrivals.add(number, System.nanoTime());
        }
        return arrivals;
    }

    /** How many connections others have to this database. */
    long connections() throws SQLException {
        return place.number(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
                        + "AND backend_type IN ('client backend', 'walsender')");
    }

    @Override
    public void close() throws SQLException {
        place.close();
    }
}
