package org.pgbaton.bench.log;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.pgbaton.bench.arena.CpuTime;
import org.pgbaton.bench.arena.Rows;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/** Clients that write as fast as they can: each row in a transaction of its own, or many with one COPY. */
final class Writers {
    static final int ROWS_PER_COPY = 1000;

    private final String url;
    private final String sql;
    private final LongAdder written = new LongAdder();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /** @param sql an INSERT with two parameters, the key and the payload; or a COPY of key, type and payload */
    Writers(String url, String sql) {
        this.url = url;
        this.sql = sql;
    }

    /**
     * @param reader the process whose CPU time counts as Baton's; 0 if there is none
     * @return rows, nanoseconds, and CPU nanoseconds of PostgreSQL and of that process, all without the warm-up
     */
    String run(int clients, double warmSeconds, double seconds, long reader) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int client = 0; client < clients; client++) {
            Thread thread = new Thread(this::write, "writer-" + client);
            threads.add(thread);
            thread.start();
        }
        try {
            while (written.sum() < clients && failure.get() == null) {
                Thread.sleep(1);
            }
            Thread.sleep((long) (warmSeconds * 1000));
            long ofServer = CpuTime.ofServer();
            long ofReader = CpuTime.ofProcess(reader);
            long before = written.sum();
            long begin = System.nanoTime();
            Thread.sleep((long) (seconds * 1000));
            long rows = written.sum() - before;
            long nanos = System.nanoTime() - begin;
            ofServer = CpuTime.ofServer() - ofServer;
            ofReader = CpuTime.ofProcess(reader) - ofReader;
            if (failure.get() != null) {
                throw new IllegalStateException("a writer failed: " + failure.get(), failure.get());
            }
            return rows + "\t" + nanos + "\t" + ofServer + "\t" + ofReader;
        } finally {
            threads.forEach(Thread::interrupt);
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    private void write() {
        try (Connection connection = DriverManager.getConnection(url + "&prepareThreshold=1&ApplicationName=writer")) {
            if (sql.startsWith("COPY ")) {
                copyOn(connection);
            } else {
                insertOn(connection);
            }
        } catch (Throwable failed) {
            failure.compareAndSet(null, failed);
        }
    }

    private void insertOn(Connection connection) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            while (!Thread.currentThread().isInterrupted()) {
                insert.setString(1, Rows.someKey());
                insert.setString(2, Rows.PAYLOAD);
                insert.executeUpdate();
                written.increment();
            }
        }
    }

    private void copyOn(Connection connection) throws SQLException, IOException {
        PGConnection driver = connection.unwrap(PGConnection.class);
        while (!Thread.currentThread().isInterrupted()) {
            StringBuilder rows = new StringBuilder();
            for (int i = 0; i < ROWS_PER_COPY; i++) {
                rows.append(Rows.someKey())
                        .append("\thappened\t")
                        .append(Rows.PAYLOAD)
                        .append('\n');
            }
            byte[] bytes = rows.toString().getBytes(StandardCharsets.UTF_8);
            CopyIn copy = driver.getCopyAPI().copyIn(sql);
            copy.writeToCopy(bytes, 0, bytes.length);
            written.add(copy.endCopy());
        }
    }
}
