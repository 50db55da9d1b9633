package org.pgbaton.server;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.pgbaton.testkit.TestDatabase;

/** A real PgBouncer in front of a test's database, if the machine has one. */
final class PgBouncer implements AutoCloseable {
    private static final Path PROGRAM = Path.of("/usr/sbin/pgbouncer");

    private final Process process;
    private final int port;
    private final String database;

    private PgBouncer(Process process, int port, String database) {
        this.process = process;
        this.port = port;
        this.database = database;
    }

    static boolean isInstalled() {
        return Files.isExecutable(PROGRAM);
    }

    /**
     * @param mode session, transaction or statement
     * @param more further lines of its settings
     */
    static PgBouncer start(TestDatabase database, String mode, Path folder, String... more) throws IOException {
        int port = Served.freePort();
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
        PgBouncer started = new PgBouncer(
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("pgbouncer.out").toFile())
                        .start(),
                port,
                database.name());
        await().atMost(Cli.PATIENCE).until(started::listens);
        return started;
    }

    String url() {
        return "postgres://postgres@127.0.0.1:" + port + "/" + database;
    }

    private boolean listens() {
        try (Socket probe = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return probe.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
