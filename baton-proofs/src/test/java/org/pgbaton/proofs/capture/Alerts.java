package org.pgbaton.proofs.capture;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.pgbaton.testkit.TestDatabase;

/**
 * Writers that go on through restarts of the server. Each row counts its own changes, so that the table says what must have been captured:
 * each of its rows as it was inserted, and after each update.
 */
final class Alerts implements AutoCloseable {
    private final TestDatabase database;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final List<Thread> writers = new ArrayList<>();

    private Alerts(TestDatabase database) {
        this.database = database;
    }

    static void createTable(TestDatabase database) throws SQLException {
        database.execute(
                "CREATE TABLE alert (id bigserial PRIMARY KEY, k text NOT NULL, touched integer NOT NULL DEFAULT 0, note text)");
        database.execute("ALTER TABLE alert REPLICA IDENTITY FULL");
    }

    static Alerts start(TestDatabase database, int writers) {
        Alerts alerts = new Alerts(database);
        for (int i = 0; i < writers; i++) {
            int number = i;
            Thread writer = new Thread(() -> alerts.write(number), "writer-" + i);
            alerts.writers.add(writer);
            writer.start();
        }
        return alerts;
    }

    private void write(int number) {
        Random random = new Random(number);
        while (!stopped.get()) {
            try (Connection connection = database.connect();
                    Statement statement = connection.createStatement()) {
                while (!stopped.get()) {
                    statement.execute(next(random, "k" + number + "-" + random.nextInt(5)));
                    pause(random.nextInt(5)); // otherwise writers would be far ahead of any reader
                }
            } catch (SQLException restarted) {
                pause(100);
            }
        }
    }

    /** One transaction: a row, many rows, a row that changes several times, nothing. */
    private static String next(Random random, String key) {
        String insert = "INSERT INTO alert (k, note) SELECT '" + key + "', 'n' || g FROM generate_series(1, %d) g";
        String touch =
                "UPDATE alert SET touched = touched + 1 WHERE id = (SELECT max(id) FROM alert WHERE k = '" + key + "')";
        return switch (random.nextInt(6)) {
            case 0 -> insert.formatted(40);
            case 1 -> "DO $$ BEGIN " + touch + "; " + touch + "; " + insert.formatted(2) + "; END $$";
            case 2 -> touch;
            case 3 ->
                "DO $$ BEGIN " + insert.formatted(3)
                        + "; RAISE EXCEPTION 'no'; EXCEPTION WHEN raise_exception THEN NULL; END $$";
            default -> insert.formatted(1);
        };
    }

    private static void pause(int millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    long changes() throws SQLException {
        return Long.parseLong(database.one("SELECT coalesce(sum(1 + touched), 0) FROM alert"));
    }

    @Override
    public void close() {
        stopped.set(true);
        try {
            for (Thread writer : writers) {
                writer.join();
            }
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
        }
    }
}
