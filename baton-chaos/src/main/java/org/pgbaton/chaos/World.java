package org.pgbaton.chaos;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.pgbaton.testkit.TestDatabase;
import org.pgbaton.testkit.TestServer;

/**
 * What a round happens in: a PostgreSQL, a database of its own, a proxy between it and the processes of Baton, those processes, and an
 * endpoint. Faults do something to one of them; scenarios start something in them.
 *
 * <p>Not thread-safe, but for {@link #events}.
 */
final class World implements AutoCloseable {
    static final Duration LEASE = Duration.ofSeconds(2);
    static final int WORKERS = 3;
    /** The role of the processes of Baton, so that a fault can meet them alone. */
    static final String USER = "chaos";

    private final TestServer server;
    private final TestDatabase database;
    private final Proxy proxy;
    private final Endpoint endpoint;
    private final Scenario scenario;
    private final List<Worker> workers = new ArrayList<>();
    private final Events events = new Events();

    World(TestServer server, Scenario scenario) throws Exception {
        this.server = server;
        this.scenario = scenario;
        this.database = server.newDatabase();
        this.proxy = new Proxy(server);
        this.endpoint = new Endpoint();
        database.execute("DO $$ BEGIN CREATE ROLE " + USER
                + " SUPERUSER REPLICATION LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$");
        scenario.prepare(this);
        for (int i = 0; i < WORKERS; i++) {
            workers.add(worker(i));
        }
        for (Worker worker : workers) {
            worker.awaitRunning();
        }
    }

    private Worker worker(int number) {
        return Worker.start("worker-" + number, proxy.url(database, USER), scenario.parts(), endpoint.address());
    }

    TestServer server() {
        return server;
    }

    TestDatabase database() {
        return database;
    }

    Proxy proxy() {
        return proxy;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    Events events() {
        return events;
    }

    List<Worker> workers() {
        return workers;
    }

    /** Another one in the place of one that is dead. */
    void replace(int number) throws InterruptedException {
        workers.get(number).close();
        workers.set(number, worker(number));
        workers.get(number).awaitRunning();
    }

    /** A setting of the processes of Baton alone, for sessions that begin from now on; those that are there are ended. */
    void set(String setting, String value) throws SQLException {
        alter("SET " + setting + " = " + value);
    }

    void reset(String setting) throws SQLException {
        alter("RESET " + setting);
    }

    private void alter(String what) throws SQLException {
        database.execute("ALTER ROLE " + USER + " IN DATABASE " + database.name() + " " + what);
        database.one(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND usename = ?",
                USER);
    }

    /** What waits to be handled, in rows; 0 also means that no key is set aside. */
    long backlog() throws SQLException {
        return Long.parseLong(
                database.one(
                        "SELECT coalesce(sum(lag_positions + set_aside_keys + parked_keys), 0) FROM baton.subscription_status"));
    }

    /** @return how long it took; null if it did not come true in time */
    @Nullable
    static Duration await(Duration atMost, Callable<Boolean> condition) throws InterruptedException {
        long begun = System.nanoTime();
        while (true) {
            try {
                if (condition.call()) {
                    return Duration.ofNanos(System.nanoTime() - begun);
                }
            } catch (InterruptedException told) {
                throw told;
            } catch (Exception notNow) {
                // A server that restarts refuses; whoever waits goes on waiting.
            }
            if (System.nanoTime() - begun > atMost.toNanos()) {
                return null;
            }
            LockSupport.parkNanos(20_000_000);
        }
    }

    /** For each row of a statement. */
    interface RowReader {
        void read(ResultSet row) throws SQLException;
    }

    void each(String sql, RowReader reader) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                reader.read(row);
            }
        }
    }

    @Override
    public void close() {
        workers.forEach(Worker::close);
        try {
            proxy.close();
        } catch (IOException closed) {
            // That is what we wanted.
        }
        endpoint.close();
        database.close();
    }
}
