package org.pgbaton.bench.log;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.pgbaton.Baton;
import org.pgbaton.bench.Machine;
import org.pgbaton.embedded.PostgresServer;

/**
 * Where everything is measured: one durable PostgreSQL that makes no checkpoint of its own, databases copied from a migrated one,
 * and players. Used by one thread.
 */
final class Arena implements AutoCloseable {
    static final int LANES = 16;
    static final int CLIENTS = 16;

    private static final String TEMPLATE = "template_baton";

    private final PostgresServer server;
    private final boolean quick;
    private final int rounds;
    private final long begin = System.nanoTime();
    private final Map<String, Player> players = new HashMap<>();
    private String part = "";
    private int places;

    Arena(boolean quick, int rounds) throws SQLException {
        this.quick = quick;
        this.rounds = rounds;
        this.server = PostgresServer.throwaway(settings());
        try {
            admin("CREATE DATABASE " + TEMPLATE);
            Baton.open(url(TEMPLATE)).close();
        } catch (SQLException | RuntimeException failed) {
            server.close();
            throw failed;
        }
    }

    private static Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("fsync", "on");
        settings.put("synchronous_commit", "on");
        settings.put("full_page_writes", "on");
        settings.put("wal_level", "replica");
        settings.put("wal_keep_size", "0");
        settings.put("max_wal_size", "16GB");
        settings.put("checkpoint_timeout", "1h");
        settings.put("shared_buffers", sharedBuffers());
        settings.put("max_connections", "200");
        settings.put("log_line_prefix", "[%a@%d] ");
        settings.put("log_checkpoints", "off");
        return settings;
    }

    static String sharedBuffers() {
        long memory =
                ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean os
                        ? os.getTotalMemorySize()
                        : 0;
        return memory >= 8L << 30 ? "2GB" : "256MB";
    }

    PostgresServer server() {
        return server;
    }

    String version() throws SQLException {
        return Machine.versionOf(server);
    }

    boolean isQuick() {
        return quick;
    }

    int rounds() {
        return rounds;
    }

    /** One of two values, by {@code --quick}. */
    long sized(long full, long small) {
        return quick ? small : full;
    }

    String url(String database) {
        return server.jdbcUrl(database);
    }

    /** A new database with Baton's schema. */
    Place place() throws SQLException {
        String name = String.format(Locale.ROOT, "bench_%d", ++places);
        admin("CREATE DATABASE " + name + " TEMPLATE " + TEMPLATE);
        return new Place(this, name);
    }

    /** A new database with nothing in it. */
    Place emptyPlace() throws SQLException {
        String name = String.format(Locale.ROOT, "bench_%d", ++places);
        admin("CREATE DATABASE " + name);
        return new Place(this, name);
    }

    void drop(String name) throws SQLException {
        admin("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
    }

    private void admin(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url("postgres"));
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The player of that name: the same as last time, warmed up, unless it died. */
    Player player(String name) throws IOException, InterruptedException {
        Player known = players.get(name);
        if (known == null || !known.isAlive()) {
            known = Player.ofBaton(name, List.of());
            players.put(name, known);
        }
        return known;
    }

    void enter(String name) {
        part = name;
        progress("begins");
    }

    /** What has been started for this part ends. */
    void leave() {
        new ArrayList<>(players.values()).forEach(Player::close);
        players.clear();
    }

    void progress(String what) {
        System.err.printf(Locale.ROOT, "%5.0f s  %s: %s%n", (System.nanoTime() - begin) / 1e9, part, what);
    }

    @Override
    public void close() {
        leave();
        server.close();
    }
}
