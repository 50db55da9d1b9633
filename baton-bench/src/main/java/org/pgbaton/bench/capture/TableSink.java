package org.pgbaton.bench.capture;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.pgbaton.bench.Arrivals;

/**
 * A consumer that writes to a plain table instead of a log: each batch in one transaction, with the driver's batches as
 * multi-row inserts.
 */
final class TableSink implements BiConsumer<String, String>, Runnable, LongSupplier {
    static final String NAME = "public.change_log";
    static final String TABLE = "CREATE TABLE " + NAME
            + " (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key text NOT NULL, payload json NOT NULL, "
            + "recorded_at timestamptz NOT NULL DEFAULT clock_timestamp())";

    private final Connection connection;
    private final PreparedStatement insert;
    private final Arrivals arrivals;
    private final List<Integer> batch = new ArrayList<>();
    private final AtomicLong written = new AtomicLong();

    TableSink(String url, Arrivals arrivals) throws SQLException {
        this.connection = DriverManager.getConnection(url + "&reWriteBatchedInserts=true&stringtype=unspecified");
        connection.setAutoCommit(false);
        this.insert = connection.prepareStatement("INSERT INTO " + NAME + " (key, payload) VALUES (?, ?)");
        this.arrivals = arrivals;
    }

    @Override
    public void accept(String key, String payload) {
        try {
            insert.setString(1, key);
            insert.setString(2, payload);
            insert.addBatch();
            batch.add(Orders.numberIn(payload));
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** The batch is complete. */
    @Override
    public void run() {
        try {
            insert.executeBatch();
            connection.commit();
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
        long now = System.nanoTime();
        batch.forEach(number -> arrivals.add(number, now));
        written.addAndGet(batch.size());
        batch.clear();
    }

    @Override
    public long getAsLong() {
        return written.get();
    }
}
