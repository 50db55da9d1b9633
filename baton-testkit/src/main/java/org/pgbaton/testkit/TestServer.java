package org.pgbaton.testkit;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.pgbaton.Baton;
import org.pgbaton.embedded.PostgresServer;

/**
 * A real PostgreSQL for tests, thrown away afterwards, which hands out databases. A new database is a copy of a
 * template that already has Baton's schema; that takes some tens of milliseconds. It has {@code wal_level=logical};
 * slots go with their database. Thread-safe.
 */
public final class TestServer implements AutoCloseable {
    private static final String TEMPLATE = "baton_template";

    private static final String END_REPLICATION = """
            SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE database = ? AND active_pid IS NOT NULL""";

    private volatile PostgresServer server;
    private final AtomicInteger databases = new AtomicInteger();

    private TestServer(PostgresServer server) {
        this.server = server;
        execute("postgres", "CREATE DATABASE " + TEMPLATE);
        Baton.open(server.jdbcUrl(TEMPLATE)).close();
    }

    private static final class Shared {
        static final TestServer SERVER =
                start(Map.of("max_connections", "300", "max_replication_slots", "40", "max_wal_senders", "40"));
    }

    /**
     * The server that all tests of this JVM share. It ends with the JVM. Do not restart it; start one of your own
     * instead.
     */
    public static TestServer shared() {
        return Shared.SERVER;
    }

    /** A server for one test that restarts it, breaks it, or needs other settings. */
    public static TestServer start(Map<String, String> settings) {
        return new TestServer(PostgresServer.throwaway(settings));
    }

    /** The server itself: stop, restart, promote, read its log. */
    public PostgresServer postgres() {
        return server;
    }

    /**
     * From now on all databases are those of this server, a standby that was promoted.
     *
     * @return the former server, which goes on running; the caller closes it
     */
    public PostgresServer failOverTo(PostgresServer promoted) {
        PostgresServer former = server;
        server = promoted;
        return former;
    }

    /** A database with Baton's schema, until it is closed. */
    public TestDatabase newDatabase() {
        String name = "test_" + databases.incrementAndGet();
        execute("postgres", "CREATE DATABASE " + name + " TEMPLATE " + TEMPLATE);
        return new TestDatabase(this, name);
    }

    void drop(String database) {
        if (server.isRunning()) {
            endReplication(database);
            execute("postgres", "DROP DATABASE IF EXISTS " + database + " WITH (FORCE)");
        }
    }

    /**
     * FORCE is not enough: a reader of a slot keeps its database from being dropped. The slot itself is dropped with
     * the database.
     */
    private void endReplication(String database) {
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl("postgres"));
                PreparedStatement end = connection.prepareStatement(END_REPLICATION)) {
            end.setString(1, database);
            long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
            while (end.executeQuery().next() && System.nanoTime() < patience) {
                Thread.sleep(5);
            }
        } catch (SQLException failure) {
            throw new IllegalStateException("The test server refused: " + END_REPLICATION, failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void execute(String database, String sql) {
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl(database));
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException failure) {
            throw new IllegalStateException("The test server refused: " + sql, failure);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
