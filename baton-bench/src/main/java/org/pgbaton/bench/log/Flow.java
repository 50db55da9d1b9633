package org.pgbaton.bench.log;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.pgbaton.bench.arena.Rows;

/** Writes rows at an even rate, until it is stopped. */
final class Flow {
    private static final int CLIENTS = 4;

    private final List<Thread> threads = new ArrayList<>();

    String begin(String url, int perSecond) {
        for (int client = 0; client < CLIENTS; client++) {
            Thread thread = new Thread(() -> write(url, perSecond / (double) CLIENTS), "flow-" + client);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
        return "";
    }

    String end() throws InterruptedException {
        threads.forEach(Thread::interrupt);
        for (Thread thread : threads) {
            thread.join(10_000);
        }
        threads.clear();
        return "";
    }

    private static void write(String url, double perSecond) {
        try (Connection connection = DriverManager.getConnection(url + "&prepareThreshold=1&ApplicationName=flow");
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO baton.events (key, type, payload) VALUES (?, 'happened', ?::json)")) {
            long next = System.nanoTime();
            while (!Thread.currentThread().isInterrupted()) {
                next += (long) (1e9 / perSecond);
                LockSupport.parkNanos(next - System.nanoTime());
                insert.setString(1, Rows.someKey());
                insert.setString(2, Rows.PAYLOAD);
                insert.executeUpdate();
            }
        } catch (Exception failed) {
            System.err.println("The flow ends: " + failed);
        }
    }
}
