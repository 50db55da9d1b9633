package org.pgbaton.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One durable PostgreSQL server for all processes of a machine that name the same folder.
 *
 * <p>The first one starts it, others attach, the last one out stops it. A commit is on disk when it returns
 * ({@code fsync}, {@code synchronous_commit} and {@code full_page_writes} are on). The server survives every way in which
 * its users can die; if it dies itself, the next {@link #open} starts it again.
 *
 * <ol>
 *   <li>Coming and going happen under a mutex, the file lock on {@code start.lock}.
 *   <li>Coming: look whether {@code postmaster.pid} names a living PostgreSQL of this folder, otherwise start one; then
 *       hold a shared lock on {@code users.lock}. The operating system frees it when the process is killed.
 *   <li>Going: give up the shared lock and try the exclusive one. Who gets it was the last, and stops the server.
 *   <li>If the last one is killed, the server stays; the next one to come finds it and, going, stops it.
 * </ol>
 *
 * <p>Whoever connects needs the password in {@link #passwordFile}, which only this user can read. A folder whose server trusted
 * everybody on the machine is converted when its server is started next.
 *
 * <p>The port is the one of the last start if that is free. The folder must be on a local disk. Thread-safe.
 */
public final class SharedPostgres implements AutoCloseable {

    /** More than a slow stop and a slow start of the others. */
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private static final Map<String, String> DURABLE = Map.of(
            "fsync", "on",
            "synchronous_commit", "on",
            "full_page_writes", "on",
            "wal_level", "logical",
            "max_connections", "200",
            "max_prepared_transactions", "20");

    private enum State {
        NEW,
        OPEN,
        CLOSED
    }

    private final ServerFolder folder;

    private final PostgresServer server;

    private final @Nullable ExitHook exitHook;

    /** NEW → OPEN → CLOSED, or NEW → CLOSED if the JVM ends meanwhile. Changed under the mutex. */
    private State state = State.NEW;

    private SharedPostgres(Path dataDir, boolean closeOnExit) {
        this.server = PostgresServer.in(dataDir).settings(DURABLE).guarded().build();
        this.folder = server.folder();
        this.exitHook = closeOnExit ? new ExitHook("baton-shared-postgres", this::close) : null;
    }

    /**
     * Starts the server of a folder or attaches to it, until {@link #close} or the JVM's orderly end (SIGTERM, Ctrl-C).
     *
     * @param dataDir a folder that is empty, new, or was used like this before
     * @return a handle; several for one folder, in one JVM or many, share the server
     * @throws EmbeddedPostgresException if the folder or this machine cannot be used
     */
    public static SharedPostgres open(Path dataDir) {
        return new SharedPostgres(dataDir, true).join();
    }

    /**
     * Like {@link #open}, but the JVM's end does not close it. For applications with a shutdown hook of their own, which
     * still need the database in theirs: hooks run all at once.
     *
     * @param dataDir a folder that is empty, new, or was used like this before
     * @return a handle
     * @throws EmbeddedPostgresException if the folder or this machine cannot be used
     */
    public static SharedPostgres openUntilClosed(Path dataDir) {
        return new SharedPostgres(dataDir, false).join();
    }

    /**
     * Where the server of this user belongs: {@code ${XDG_DATA_HOME:-~/.local/share}/baton/postgres}, on macOS
     * {@code ~/Library/Application Support/baton/postgres}.
     *
     * @return the folder, which may not exist yet
     */
    public static Path defaultFolder() {
        return UserFolders.current().data().resolve("postgres");
    }

    /**
     * How to connect to the database {@code postgres}, as superuser.
     *
     * @return a URL for the PostgreSQL JDBC driver, with the password
     */
    public String jdbcUrl() {
        return jdbcUrl("postgres");
    }

    /**
     * How to connect to a database, as superuser.
     *
     * @param database its name
     * @return a URL for the PostgreSQL JDBC driver
     */
    public String jdbcUrl(String database) {
        return server.jdbcUrl(database);
    }

    /**
     * The TCP port on 127.0.0.1.
     *
     * @return the port
     */
    public int port() {
        return server.port();
    }

    /**
     * The superuser's password, in the form of {@code ~/.pgpass}: for psql and others, give it as {@code PGPASSFILE}.
     *
     * @return a file in the folder, readable for its owner only; not there while a server still runs that trusts everybody
     */
    public Path passwordFile() {
        return folder.passwordFile();
    }

    /**
     * The folder with everything that belongs to the server.
     *
     * @return the folder, with symbolic links resolved
     */
    public Path folder() {
        return folder.root();
    }

    /**
     * What the server says.
     *
     * @return a file in the folder
     */
    public Path logFile() {
        return server.logFile();
    }

    /** Leaves the server, and stops it if nobody else uses it. The second time it does nothing. */
    @Override
    public void close() {
        underMutex(() -> {
            if (state == State.OPEN) {
                Attachment.leave(folder, server);
            }
            state = State.CLOSED;
        });
        forgetExitHook();
    }

    private SharedPostgres join() {
        if (exitHook != null) {
            // Before the start, so that a JVM that ends in the middle of it does not leave a server without users.
            exitHook.register();
        }
        try {
            underMutex(() -> {
                if (state == State.CLOSED) {
                    throw new EmbeddedPostgresException("The embedded PostgreSQL in " + folder.root()
                            + " was not opened, because the JVM is ending.");
                }
                Attachment.join(folder, server);
                state = State.OPEN;
            });
        } catch (RuntimeException e) {
            forgetExitHook();
            throw e;
        }
        return this;
    }

    private void underMutex(Runnable work) {
        FileMutex.holding(folder.root().resolve("start.lock"), PATIENCE, work);
    }

    private void forgetExitHook() {
        if (exitHook != null) {
            exitHook.forget();
        }
    }
}
