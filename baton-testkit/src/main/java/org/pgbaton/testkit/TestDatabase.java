package org.pgbaton.testkit;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.pgbaton.Baton;
import org.postgresql.ds.PGSimpleDataSource;

/** A database that belongs to one test. Closing it drops it and ends the connections to it. */
public final class TestDatabase implements AutoCloseable {
    private final TestServer server;
    private final String name;

    TestDatabase(TestServer server, String name) {
        this.server = server;
        this.name = name;
    }

    /** The server that it is on. */
    public TestServer server() {
        return server;
    }

    /** Its name on the server. */
    public String name() {
        return name;
    }

    /** Works for JDBC and for Baton, with the superuser's name in it. */
    public String url() {
        return server.postgres().jdbcUrl(name);
    }

    /** The same address for another user. */
    public String urlFor(String user) {
        return "postgres://" + user + "@127.0.0.1:" + server.postgres().port() + "/" + name;
    }

    /** Opens a new connection each time. */
    public DataSource dataSource() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url());
        return source;
    }

    /** Opens a connection, which the test closes. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url());
    }

    /** A Baton with all defaults. */
    public Baton baton() {
        return Baton.open(url());
    }

    /** A Baton that others see under this name. */
    public Baton baton(String who) {
        return Baton.builder(url()).who(who).open();
    }

    /** Runs statements, on a connection of its own. */
    public void execute(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The first column of the first row as text; "null" for NULL or no row. */
    public String one(String sql, Object... parameters) throws SQLException {
        try (Connection connection = connect();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? String.valueOf(row.getString(1)) : "null";
            }
        }
    }

    /**
     * Ends the backends whose {@code application_name} matches this pattern, as an administrator or a failover would.
     */
    public int terminate(String applicationNameLike) throws SQLException {
        return Integer.parseInt(one("""
                SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                 WHERE datname = current_database() AND application_name LIKE ? AND pid <> pg_backend_pid()""", applicationNameLike));
    }

    /**
     * Waits until the subscription has handled everything that is committed now: nothing lags, no key is set aside or parked.
     *
     * @throws AssertionError if this takes longer; or if keys are parked, with their errors
     */
    public void drain(String subscription, Duration atMost) throws SQLException, InterruptedException {
        drainExceptParked(subscription, atMost);
        String parked = parked(subscription);
        if (!parked.isEmpty()) {
            throw new AssertionError("Subscription '" + subscription
                    + "' has handled everything except for parked keys, "
                    + "which wait for somebody (drainExceptParked, if that is what the test is about): " + parked);
        }
    }

    /**
     * The same for tests that expect parked keys: parked keys do not count.
     *
     * @throws AssertionError if it has not handled the rest within that time
     */
    public void drainExceptParked(String subscription, Duration atMost) throws SQLException, InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        String left = left(subscription);
        while (!left.equals("0 0")) {
            if (System.nanoTime() > end) {
                String parked = parked(subscription);
                throw new AssertionError("Subscription '" + subscription + "' has not handled everything within "
                        + atMost + ": positions behind and keys set aside: " + left
                        + (parked.isEmpty() ? "" : "; parked: " + parked));
            }
            Thread.sleep(5);
            left = left(subscription);
        }
    }

    private String left(String subscription) throws SQLException {
        return one(
                "SELECT lag_positions || ' ' || set_aside_keys FROM baton.subscription_status WHERE name = ? AND live",
                subscription);
    }

    /** The first parked keys, each with its error. */
    private String parked(String subscription) throws SQLException {
        return one("""
                SELECT coalesce(string_agg(told, '; ' ORDER BY id), '') FROM (
                  SELECT p.id, format('key ''%s'' after %s attempts: %s', p.key, p.attempts, coalesce(p.error, 'no error recorded')) AS told
                    FROM baton.parked p JOIN baton.subscription s ON s.id = p.subscription
                   WHERE s.name = ? AND s.live AND p.state = 'parked' ORDER BY p.id LIMIT 10) parked""", subscription);
    }

    @Override
    public void close() {
        server.drop(name);
    }
}
