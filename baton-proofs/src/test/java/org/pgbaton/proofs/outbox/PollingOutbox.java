package org.pgbaton.proofs.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.pgbaton.testkit.TestDatabase;

/**
 * How outboxes with a status column are usually relayed: several pods poll, each for a batch that the others do not
 * have, send it, and mark it. It has two ways to choose a batch that the others do not have; both lose the order. It
 * exists only so that the check has something to find.
 */
final class PollingOutbox implements AutoCloseable {
    /**
     * Takes every row whose portfolio it can lock. The locks end with the transaction that selects, before anything is
     * sent.
     */
    static final String ADVISORY_LOCKS = """
            SELECT id, portfolio_id, sequence FROM outbox_event
             WHERE status = 'PENDING' AND pg_try_advisory_xact_lock(hashtext(portfolio_id))
             ORDER BY created_at, id LIMIT ?""";
    /** Rows that another pod has locked are left out, but later rows of the same key are not. */
    static final String SKIP_LOCKED = """
            SELECT id, portfolio_id, sequence FROM outbox_event
             WHERE status = 'PENDING' ORDER BY created_at, id LIMIT ? FOR UPDATE SKIP LOCKED""";

    private record Event(long id, Published.Arrival arrival) {}

    private final AtomicBoolean stopped = new AtomicBoolean();
    private final List<Thread> pods = new ArrayList<>();

    static void createTable(TestDatabase database) throws SQLException {
        database.execute(
                "CREATE TABLE outbox_event (id bigserial PRIMARY KEY, portfolio_id text NOT NULL, sequence integer NOT NULL, "
                        + "status text NOT NULL DEFAULT 'PENDING', created_at timestamptz NOT NULL DEFAULT now())");
    }

    /**
     * @param insideTheTransaction whether it sends before the transaction that has the locks ends
     * @param sink called by all pods at once
     */
    static PollingOutbox start(
            TestDatabase database,
            String select,
            boolean insideTheTransaction,
            int pods,
            Consumer<Published.Arrival> sink) {
        PollingOutbox outbox = new PollingOutbox();
        for (int i = 0; i < pods; i++) {
            Thread pod = new Thread(() -> outbox.poll(database, select, insideTheTransaction, sink), "pod-" + i);
            outbox.pods.add(pod);
            pod.start();
        }
        return outbox;
    }

    private void poll(
            TestDatabase database, String select, boolean insideTheTransaction, Consumer<Published.Arrival> sink) {
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            while (!stopped.get()) {
                List<Event> batch = batch(connection, select);
                if (!insideTheTransaction) {
                    connection.commit();
                }
                Thread.sleep(ThreadLocalRandom.current().nextInt(10)); // pods pause between polls
                for (Event event : batch) {
                    Thread.sleep(0, ThreadLocalRandom.current().nextInt(300_000)); // a send takes some time
                    sink.accept(event.arrival);
                }
                mark(connection, batch);
                connection.commit();
            }
        } catch (SQLException | InterruptedException end) {
            throw new IllegalStateException(end);
        }
    }

    private static List<Event> batch(Connection connection, String select) throws SQLException {
        List<Event> batch = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(select)) {
            statement.setInt(1, 10);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    String key = row.getString(2);
                    batch.add(new Event(row.getLong(1), new Published.Arrival(key, key + "/" + row.getInt(3))));
                }
            }
        }
        return batch;
    }

    private static void mark(Connection connection, List<Event> batch) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE outbox_event SET status = 'SENT' WHERE id = ANY (?)")) {
            update.setArray(
                    1,
                    connection.createArrayOf(
                            "int8", batch.stream().map(Event::id).toArray()));
            update.executeUpdate();
        }
    }

    @Override
    public void close() {
        stopped.set(true);
        try {
            for (Thread pod : pods) {
                pod.join();
            }
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
        }
    }
}
