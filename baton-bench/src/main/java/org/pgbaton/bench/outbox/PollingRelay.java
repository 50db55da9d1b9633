package org.pgbaton.bench.outbox;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import org.pgbaton.bench.arena.Options;

/**
 * A pod that polls a table with a status column, for a batch of portfolios that it can lock; the locks end with the transaction that
 * selects, before anything is sent. It sends portfolio by portfolio, each message when the one before it is confirmed, and marks the
 * batch.
 */
final class PollingRelay implements Runnable {
    private static final String SELECT = """
            SELECT id, portfolio_id, payload FROM outbox_event
             WHERE status = 'PENDING' AND pg_try_advisory_xact_lock(hashtext(portfolio_id))
             ORDER BY created_at, id LIMIT 500""";
    private static final String MARK = "UPDATE outbox_event SET status = 'SENT' WHERE id = ANY (?)";
    private static final int PAUSE_MILLIS = 50;

    private record Event(long id, String portfolio, String payload) {}

    private final String url;
    private final BiFunction<String, String, Future<?>> producer;

    PollingRelay(Map<String, String> options, BiFunction<String, String, Future<?>> producer) {
        this.url = Options.of(options, "url");
        this.producer = producer;
    }

    @Override
    public void run() {
        Thread dispatcher = new Thread(this::dispatch, "dispatcher");
        dispatcher.setDaemon(true);
        dispatcher.start();
    }

    private void dispatch() {
        try (Connection connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            while (true) {
                List<Event> batch = batch(connection);
                connection.commit();
                Map<String, List<Event>> portfolios = new LinkedHashMap<>();
                batch.forEach(event -> portfolios
                        .computeIfAbsent(event.portfolio, portfolio -> new ArrayList<>())
                        .add(event));
                for (List<Event> portfolio : portfolios.values()) {
                    send(portfolio);
                }
                mark(connection, batch);
                connection.commit();
                if (batch.isEmpty()) {
                    Thread.sleep(PAUSE_MILLIS);
                }
            }
        } catch (SQLException | ExecutionException | InterruptedException end) {
            System.err.println("The pod ends: " + end);
        }
    }

    private static List<Event> batch(Connection connection) throws SQLException {
        List<Event> batch = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(SELECT);
                ResultSet row = select.executeQuery()) {
            while (row.next()) {
                batch.add(new Event(row.getLong(1), row.getString(2), row.getString(3)));
            }
        }
        return batch;
    }

    private void send(List<Event> portfolio) throws ExecutionException, InterruptedException {
        for (Event event : portfolio) {
            producer.apply(event.portfolio, event.payload).get();
        }
    }

    private static void mark(Connection connection, List<Event> batch) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(MARK)) {
            Object[] ids = batch.stream().map(Event::id).toArray();
            update.setArray(1, connection.createArrayOf("int8", ids));
            update.executeUpdate();
        }
    }
}
