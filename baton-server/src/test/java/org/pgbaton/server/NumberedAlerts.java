package org.pgbaton.server;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.pgbaton.testkit.TestDatabase;

/**
 * Writers of a table of alerts that go on through restarts of the server. Each key belongs to one of them, and the database numbers its alerts: so
 * they commit in the order of their numbers, and nobody needs to know whether a commit that failed was one.
 */
final class NumberedAlerts implements AutoCloseable {
    private static final int WRITERS = 3;
    private static final int KEYS_EACH = 10;
    private static final int MOST_AT_ONCE = 5;

    private static final String INSERT = """
            INSERT INTO public.alert (k, n)
            SELECT ?, coalesce((SELECT max(n) FROM public.alert WHERE k = ?), 0) + g FROM generate_series(1, ?) g""";

    private final TestDatabase database;
    private final int pauseMillis;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final List<Thread> writers = new ArrayList<>();

    private NumberedAlerts(TestDatabase database, int pauseMillis) {
        this.database = database;
        this.pauseMillis = pauseMillis;
    }

    static void createTable(TestDatabase database) throws SQLException {
        database.execute("CREATE TABLE public.alert (k text, n bigint, PRIMARY KEY (k, n))");
    }

    /** @param pauseMillis of each writer, at most, behind each transaction */
    static NumberedAlerts start(TestDatabase database, int pauseMillis) {
        NumberedAlerts alerts = new NumberedAlerts(database, pauseMillis);
        for (int i = 0; i < WRITERS; i++) {
            int number = i;
            Thread writer = new Thread(() -> alerts.write(number), "writer-" + i);
            alerts.writers.add(writer);
            writer.start();
        }
        return alerts;
    }

    private void write(int writer) {
        Random random = new Random(writer);
        while (!stopped.get()) {
            try (Connection connection = database.connect();
                    PreparedStatement insert = connection.prepareStatement(INSERT)) {
                while (!stopped.get()) {
                    String key = "k" + writer + "-" + random.nextInt(KEYS_EACH);
                    insert.setString(1, key);
                    insert.setString(2, key);
                    insert.setInt(3, 1 + random.nextInt(MOST_AT_ONCE));
                    insert.executeUpdate();
                    pause(random.nextInt(pauseMillis));
                }
            } catch (SQLException restarted) {
                pause(100);
            }
        }
    }

    private static void pause(int millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    long made() throws SQLException {
        return Long.parseLong(database.one("SELECT count(*) FROM public.alert"));
    }

    /** Returns when the writers have ended. */
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
