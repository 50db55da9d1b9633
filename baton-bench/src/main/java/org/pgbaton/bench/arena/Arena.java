package org.pgbaton.bench.arena;

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
import org.pgbaton.embedded.PostgresServer;

/**
 * The place where everything is measured: one durable PostgreSQL that makes no checkpoint by itself, databases copied
 * from a migrated one, and players. Used by one thread.
 */
public final class Arena implements AutoCloseable {

    private static final String TEMPLATE = "template_baton";

    private final PostgresServer server;
    private final Class<?> program;
    private final boolean quick;
    private final int rounds;
    private final long begin = System.nanoTime();
    private final Map<String, Player> players = new HashMap<>();
    private String part = "";
    private int places;

    /**
     * @param program of its players
     * @param own settings of PostgreSQL that override those made here
     */
    public Arena(boolean quick, int rounds, Class<?> program, Map<String, String> own) throws SQLException {
        this.program = program;
        this.quick = quick;
        this.rounds = rounds;
        this.server = PostgresServer.throwaway(settings(own));
        try {
            admin("CREATE DATABASE " + TEMPLATE);
            Baton.open(url(TEMPLATE)).close();
        } catch (SQLException | RuntimeException failed) {
            server.close();
            throw failed;
        }
    }

    /** An arena whose WAL can be decoded. */
    public static Arena logical(boolean quick, int rounds, Class<?> program) throws SQLException {
        return new Arena(
                quick,
                rounds,
                program,
                Map.of("wal_level", "logical", "max_replication_slots", "20", "max_wal_senders", "20"));
    }

    private static Map<String, String> settings(Map<String, String> own) {
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
        settings.putAll(own);
        return settings;
    }

    public static String sharedBuffers() {
        long memory =
                ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean os
                        ? os.getTotalMemorySize()
                        : 0;
        return memory >= 8L << 30 ? "2GB" : "256MB";
    }

    public PostgresServer server() {
        return server;
    }

    /** CPU time that PostgreSQL has used so far, in nanoseconds. */
    public long serverCpu() {
        return CpuTime.ofServer(server.pid().orElse(0));
    }

    public String version() throws SQLException {
        return Machine.versionOf(server);
    }

    public boolean isQuick() {
        return quick;
    }

    public int rounds() {
        return rounds;
    }

    /** One of two values, by {@code --quick}. */
    public long sized(long full, long small) {
        return quick ? small : full;
    }

    public String url(String database) {
        return server.jdbcUrl(database);
    }

    /** A new database with Baton's schema. */
    public Place place() throws SQLException {
        return copy(new Place(this, TEMPLATE));
    }

    /** A new database, copied from this one; nobody may be connected to the original. */
    public Place copy(Place original) throws SQLException {
        String name = String.format(Locale.ROOT, "bench_%d", ++places);
        admin("CREATE DATABASE " + name + " TEMPLATE " + original.name());
        return new Place(this, name);
    }

    /** A new database with nothing in it. */
    public Place emptyPlace() throws SQLException {
        String name = String.format(Locale.ROOT, "bench_%d", ++places);
        admin("CREATE DATABASE " + name);
        return new Place(this, name);
    }

    /** Drops the database; first ends readers of its slots, which would prevent that. */
    void drop(String name) throws SQLException {
        admin("SELECT pg_terminate_backend(active_pid, 5000) FROM pg_replication_slots WHERE active AND database = '"
                + name + "'");
        admin("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
    }

    private void admin(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url("postgres"));
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The player of that name: the same as last time, warmed up, unless it died. */
    public Player player(String name) throws IOException, InterruptedException {
        Player known = players.get(name);
        if (known == null || !known.isAlive()) {
            known = newPlayer(name, List.of());
            players.put(name, known);
        }
        return known;
    }

    /** The caller closes it. */
    public Player newPlayer(String name, List<String> arguments) throws IOException, InterruptedException {
        List<String> flags = List.of("-D" + CpuTime.SERVER + "=" + server.pid().orElse(0));
        return Player.of(name, flags, System.getProperty("java.class.path"), program.getName(), arguments);
    }

    public void enter(String name) {
        part = name;
        progress("begins");
    }

    /** Ends everything that was started for this part. */
    public void leave() {
        new ArrayList<>(players.values()).forEach(Player::close);
        players.clear();
    }

    public void progress(String what) {
        System.err.printf(Locale.ROOT, "%5.0f s  %s: %s%n", (System.nanoTime() - begin) / 1e9, part, what);
    }

    @Override
    public void close() {
        leave();
        server.close();
    }
}
