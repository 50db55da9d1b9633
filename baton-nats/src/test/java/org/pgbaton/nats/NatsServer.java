package org.pgbaton.nats;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.pgbaton.testkit.Signals;
import org.pgbaton.testkit.publisher.BrokerProcess;
import org.pgbaton.testkit.publisher.BrokerServer;

/**
 * A real NATS server with JetStream, from Debian's package, with a folder and a port of its own; never the system's
 * service. Tests can kill, freeze and restart it; it keeps its port and data. It is up in some tens of milliseconds.
 * Not thread-safe.
 */
public final class NatsServer implements BrokerServer {
    public static final String USER = "baton";
    public static final String PASSWORD = "sEcr3t-nats";
    public static final String MISSING = "no NATS here (apt-get install nats-server)";

    /** Users and their permissions, for {@link #start}. */
    public static final String LOGIN = "authorization { user: \"" + USER + "\", password: \"" + PASSWORD + "\" }";

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final int port;
    private final BrokerProcess process;

    private NatsServer(Path folder, int port) {
        this.port = port;
        this.process = new BrokerProcess(
                "NATS",
                folder,
                new ProcessBuilder(
                        program().orElseThrow().toString(),
                        "-c",
                        folder.resolve("nats.conf").toString()),
                output -> output.contains("Server is ready") && listens(),
                PATIENCE,
                () -> {});
    }

    public static boolean isInstalled() {
        return program().isPresent();
    }

    private static Optional<Path> program() {
        return Stream.of("/usr/sbin/nats-server", "/usr/bin/nats-server", "/usr/local/bin/nats-server")
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Starts a server with JetStream and a login. */
    public static NatsServer start() {
        return start("jetstream {}", LOGIN);
    }

    /** @param settings lines of its configuration, without port and folder */
    public static NatsServer start(String... settings) {
        try {
            Path folder = Files.createTempDirectory("baton-nats");
            int port = freePort();
            String given = String.join("\n", settings)
                    .replace("jetstream {}", "jetstream { store_dir: \"" + folder.resolve("data") + "\" }");
            Files.writeString(folder.resolve("nats.conf"), "listen: \"127.0.0.1:" + port + "\"\n" + given + "\n");
            return new NatsServer(folder, port);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return probe.getLocalPort();
        }
    }

    @Override
    public int port() {
        return port;
    }

    /** With user and password. */
    public String url() {
        return "nats://" + USER + ":" + PASSWORD + "@127.0.0.1:" + port;
    }

    @Override
    public void kill() throws InterruptedException {
        process.kill();
    }

    @Override
    public void stop() throws InterruptedException {
        process.stop();
    }

    @Override
    public void restart() {
        process.restart();
    }

    @Override
    public void freeze() throws InterruptedException {
        Signals.freeze(process.handle().pid());
    }

    @Override
    public void thaw() {
        Signals.thaw(process.handle().pid());
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
        process.close();
    }
}
