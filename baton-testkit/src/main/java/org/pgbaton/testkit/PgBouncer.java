package org.pgbaton.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A real PgBouncer in front of a test's database, if the machine has one. Closing it ends its process. */
public final class PgBouncer implements AutoCloseable {
    /** A line for {@link #start}: without it PgBouncer refuses the connections of PostgreSQL's driver. */
    public static final String FOR_JDBC = "ignore_startup_parameters = extra_float_digits";

    private static final Path PROGRAM = Path.of("/usr/sbin/pgbouncer");

    private final Process process;
    private final int port;
    private final String database;

    private PgBouncer(Process process, int port, String database) {
        this.process = process;
        this.port = port;
        this.database = database;
    }

    /** Whether the machine has it; tests that need it are skipped otherwise. */
    public static boolean isInstalled() {
        return Files.isExecutable(PROGRAM);
    }

    /**
     * Starts one, with three connections to the database.
     *
     * @param mode session, transaction or statement
     * @param folder for its settings and log, an empty one
     * @param more further lines of its settings
     */
    public static PgBouncer start(TestDatabase database, String mode, Path folder, String... more) throws IOException {
        int port = freePort();
        Path users = Files.writeString(folder.resolve("users.txt"), "\"postgres\" \"\"\n");
        Path settings = Files.writeString(folder.resolve("pgbouncer.ini"), """
                [databases]
                %1$s = host=127.0.0.1 port=%2$d dbname=%1$s user=postgres
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %3$d
                unix_socket_dir =
                auth_type = trust
                auth_file = %4$s
                pool_mode = %5$s
                default_pool_size = 3
                logfile = %6$s
                %7$s
                """.formatted(
                        database.name(),
                        database.server().postgres().port(),
                        port,
                        users,
                        mode,
                        folder.resolve("pgbouncer.log"),
                        String.join("\n", more)));
        List<String> command = new ArrayList<>();
        if ("root".equals(System.getProperty("user.name"))) {
            command.addAll(List.of("unshare", "-U")); // it refuses root, as PostgreSQL does
        }
        command.addAll(List.of(PROGRAM.toString(), "-q", settings.toString()));
        Path output = folder.resolve("pgbouncer.out");
        PgBouncer started = new PgBouncer(
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start(),
                port,
                database.name());
        started.awaitPort(output);
        return started;
    }

    /** Works for Baton, with the superuser's name in it. */
    public String url() {
        return "postgres://postgres@127.0.0.1:" + port + "/" + database;
    }

    /** The same for JDBC. Without prepared statements that stay: in transaction mode the next one may meet another connection. */
    public String jdbcUrl() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database + "?user=postgres&prepareThreshold=0";
    }

    private void awaitPort(Path output) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!listens()) {
            if (!process.isAlive() || System.nanoTime() > end) {
                close();
                throw new IllegalStateException("PgBouncer does not listen: " + Files.readString(output));
            }
            try {
                Thread.sleep(10);
            } catch (InterruptedException ended) {
                close();
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while PgBouncer starts", ended);
            }
        }
    }

    private boolean listens() {
        try (Socket probe = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return probe.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket probe = new ServerSocket(0)) {
            return probe.getLocalPort();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
