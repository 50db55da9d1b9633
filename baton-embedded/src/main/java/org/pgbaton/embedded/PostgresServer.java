package org.pgbaton.embedded;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.pgbaton.embedded.machine.FileTree;

/**
 * A PostgreSQL server with a folder of its own.
 *
 * <p>{@link #start} returns when the server accepts connections, {@link #stop} when it is gone; both do nothing if that
 * is so already. The server does not depend on this JVM: it lives on until it is stopped, and another
 * {@code PostgresServer} for the same folder takes charge of it. It listens on 127.0.0.1 and trusts everybody who comes
 * from there; the superuser is {@code postgres}. Its port stays the same as long as nobody else takes it, and during the
 * life of this object it does not change at all.
 *
 * <p>Nothing keeps two processes from starting and stopping the same folder against each other; for that, see
 * {@link SharedPostgres}.
 *
 * <p>Thread-safe.
 */
public final class PostgresServer implements AutoCloseable {

    private static final Map<String, String> THROWAWAY_SETTINGS = Map.of(
            "fsync", "off",
            "full_page_writes", "off",
            "wal_level", "logical",
            "wal_keep_size", "512MB",
            "max_connections", "200",
            "max_prepared_transactions", "20");

    private final Programs programs;

    private final ServerFolder folder;

    private final Cluster cluster;

    /** Whether everybody needs a password. */
    private final boolean guarded;

    /** Of a temporary server. */
    private final @Nullable Disposal disposal;

    private ServerConfig config;

    /** The port, or 0 before the first start. */
    private volatile int port;

    private PostgresServer(
            Programs programs,
            ServerFolder folder,
            ServerConfig config,
            boolean guarded,
            int port,
            @Nullable Disposal disposal) {
        this.programs = programs;
        this.folder = folder;
        this.guarded = guarded;
        this.cluster = new Cluster(programs, folder, guarded);
        this.config = config;
        this.port = port;
        this.disposal = disposal;
    }

    /**
     * A server in a folder that is empty, new, or was made by this class. Data, log and everything else lie in it.
     *
     * @param folder the folder
     * @return options, then the server
     */
    public static Builder in(Path folder) {
        return new Builder(folder);
    }

    /**
     * Starts a server for tests in a temporary folder. {@link #close} or the end of the JVM removes both; if the JVM is
     * killed, the next JVM that makes a throw-away server does.
     *
     * <p>It does not care for power failures ({@code fsync=off}), but a commit survives {@link StopMode#IMMEDIATE}. It
     * has {@code wal_level=logical} and {@code max_prepared_transactions=20}.
     *
     * @param settings PostgreSQL settings, which win over those
     * @return the running server
     */
    public static PostgresServer throwaway(Map<String, String> settings) {
        Map<String, String> all = new LinkedHashMap<>(THROWAWAY_SETTINGS);
        all.putAll(settings);
        ServerConfig config = new ServerConfig(all, List.of());
        Programs programs = Programs.ofThisMachine();
        ThrowawayFolder.clearAwayTheAbandoned(abandoned -> in(abandoned).build().stop(StopMode.IMMEDIATE));
        ThrowawayFolder temporary = ThrowawayFolder.create();
        ServerFolder folder = ServerFolder.prepare(temporary.path(), programs.launcher());
        Disposal disposal = new Disposal(temporary::delete);
        return new PostgresServer(programs, folder, config, false, 0, disposal).startTemporary(disposal);
    }

    /**
     * Starts the server, or takes charge of the one that already runs in the folder (with the settings it has).
     *
     * @return this
     * @throws EmbeddedPostgresException if it does not start; the message has the last lines of its log
     */
    public synchronized PostgresServer start() {
        if (disposal != null && disposal.isDone()) {
            throw new EmbeddedPostgresException(
                    "The temporary server in " + folder.root() + " was closed and deleted: make a new one.");
        }
        port = cluster.start(config, port);
        return this;
    }

    /**
     * Stops the server.
     *
     * @param mode how
     * @throws EmbeddedPostgresException if it is still there after 60 seconds
     */
    public synchronized void stop(StopMode mode) {
        cluster.stop(mode);
    }

    /** Stops fast and starts again, on the same port. */
    public synchronized void restart() {
        restart(Map.of());
    }

    /**
     * Stops fast and starts again with other settings, on the same port.
     *
     * @param settings what changes; the other settings stay
     */
    public synchronized void restart(Map<String, String> settings) {
        ServerConfig changed = config.with(settings);
        stop(StopMode.FAST);
        config = changed;
        start();
    }

    /**
     * Makes a replica into a primary; returns when it accepts writes.
     *
     * @throws EmbeddedPostgresException if it is no running replica
     */
    public synchronized void promote() {
        cluster.promote();
    }

    /**
     * Starts a streaming replica of this server with the same settings.
     *
     * @param replicaFolder an empty or new folder for it
     * @return the running replica; that of a throw-away server is temporary, too
     * @see #replica(Path, Map)
     */
    public PostgresServer replica(Path replicaFolder) {
        return replica(replicaFolder, Map.of());
    }

    /**
     * Starts a streaming replica of this server. The binaries have no {@code pg_basebackup}, so this server is stopped
     * (fast: all sessions end) while its data are copied, and started again on the same port.
     *
     * <p>The replica's {@code application_name}, for {@code synchronous_standby_names}, is the name of its folder.
     *
     * @param replicaFolder an empty or new folder for it
     * @param settings settings that the replica has differently
     * @return the running replica; that of a throw-away server is temporary, too
     */
    public synchronized PostgresServer replica(Path replicaFolder, Map<String, String> settings) {
        ServerFolder copy = ServerFolder.prepare(replicaFolder, programs.launcher());
        if (copy.isInitialised()) {
            throw new EmbeddedPostgresException("The folder " + copy.root()
                    + " already has the data of a server: choose an empty or a new folder for the replica.");
        }
        start();
        ServerConfig replicaConfig = config.forReplica(port, FileTree.nameOf(copy.root()), settings);
        stop(StopMode.FAST);
        try {
            cluster.copyAsReplica(copy);
        } finally {
            start();
        }
        Disposal ofReplica = disposal == null ? null : new Disposal(copy::deleteServer);
        PostgresServer replica = new PostgresServer(programs, copy, replicaConfig, false, 0, ofReplica);
        return ofReplica == null ? replica.start() : replica.startTemporary(ofReplica);
    }

    /**
     * Whether the server's process is there, even if it is just starting or stopping.
     *
     * @return true if it is
     */
    public boolean isRunning() {
        return cluster.postmaster().isPresent();
    }

    /**
     * The server's process, to send signals to.
     *
     * @return its number, or nothing if the server is not running
     */
    public OptionalLong pid() {
        return cluster.postmaster().map(file -> OptionalLong.of(file.pid())).orElse(OptionalLong.empty());
    }

    /**
     * The TCP port.
     *
     * @return the port; 0 before the first start
     */
    public int port() {
        int running = cluster.postmaster().map(PostmasterFile::port).orElse(0);
        return running == 0 ? port : running;
    }

    /**
     * How to connect, as superuser.
     *
     * @param database the name of a database; {@code postgres} is always there
     * @return a URL for the PostgreSQL JDBC driver
     */
    public String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port() + "/" + URLEncoder.encode(database, StandardCharsets.UTF_8)
                + "?user=postgres"
                + (guarded
                        ? Password.of(folder)
                                .map(password -> "&password=" + password)
                                .orElse("")
                        : "");
    }

    /**
     * PostgreSQL's own data directory.
     *
     * @return a folder inside the server's folder
     */
    public Path dataDirectory() {
        return folder.data();
    }

    /**
     * What the server says.
     *
     * @return a file inside the server's folder
     */
    public Path logFile() {
        return folder.log();
    }

    /**
     * PostgreSQL's major version.
     *
     * @return a number such as 17
     */
    public int majorVersion() {
        return programs.major();
    }

    /** Stops the server. A temporary one is deleted and cannot be started again. */
    @Override
    public synchronized void close() {
        try {
            stop(disposal == null ? StopMode.FAST : StopMode.IMMEDIATE);
        } catch (EmbeddedPostgresException tooSlow) {
            stopOrElseKill();
        }
        if (disposal != null) {
            disposal.run();
        }
    }

    ServerFolder folder() {
        return folder;
    }

    private synchronized PostgresServer startTemporary(Disposal itsEnd) {
        itsEnd.atExit(this::close);
        try {
            return start();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private void stopOrElseKill() {
        if (disposal == null) {
            stop(StopMode.IMMEDIATE);
        } else {
            // A test may have frozen it, and nobody wants to keep what it has.
            pid().ifPresent(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
        }
    }

    /** The options of a server. Not thread-safe; use once. */
    public static final class Builder {

        private final Path folder;

        private final Map<String, String> settings = new LinkedHashMap<>();

        private final List<String> accessRules = new ArrayList<>();

        private int port;

        private boolean guarded;

        private Builder(Path folder) {
            this.folder = folder;
        }

        /**
         * Adds PostgreSQL settings. {@code listen_addresses} always includes 127.0.0.1.
         *
         * @param further names and values as in {@code postgresql.conf}, without quotes
         * @return this
         */
        public Builder settings(Map<String, String> further) {
            settings.putAll(further);
            return this;
        }

        /**
         * Adds a line to {@code pg_hba.conf}, before those that let everybody in from this machine.
         *
         * @param line such as {@code host all all 10.0.0.0/8 scram-sha-256}
         * @return this
         */
        public Builder accessRule(String line) {
            accessRules.add(line);
            return this;
        }

        /** Everybody needs a password; see {@link Password}. Such a server has no replicas. */
        Builder guarded() {
            guarded = true;
            return this;
        }

        /**
         * Insists on a TCP port. By default it is the one of the last start if that is free, otherwise any free one.
         *
         * @param wanted from 1 to 65535
         * @return this
         */
        public Builder port(int wanted) {
            if (wanted < 1 || wanted > 65_535) {
                throw new EmbeddedPostgresException(
                        "Port " + wanted + " does not exist: give one from 1 to 65535, or none to get a free one.");
            }
            port = wanted;
            return this;
        }

        /**
         * Makes the folder, and unpacks PostgreSQL if no process of this user has done so before.
         *
         * @return the server, which is not started yet
         * @throws EmbeddedPostgresException if a value, the folder or this machine cannot be used
         */
        public PostgresServer build() {
            ServerConfig config = new ServerConfig(settings, accessRules);
            Programs programs = Programs.ofThisMachine();
            return new PostgresServer(
                    programs, ServerFolder.prepare(folder, programs.launcher()), config, guarded, port, null);
        }
    }
}
