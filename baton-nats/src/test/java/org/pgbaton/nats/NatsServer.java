package org.pgbaton.nats;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.pgbaton.testkit.Signals;

/**
 * A real NATS server with JetStream, from Debian's package, with a folder and a port of its own; never the system's service. To be
 * killed, frozen and restarted: it keeps its port and data. Up in some tens of milliseconds. Not thread-safe.
 */
public final class NatsServer implements AutoCloseable {
    public static final String USER = "baton";
    public static final String PASSWORD = "sEcr3t-nats";
    public static final String MISSING = "no NATS here (apt-get install nats-server)";

    /** Who may do what; for {@link #start}. */
    public static final String LOGIN = "authorization { user: \"" + USER + "\", password: \"" + PASSWORD + "\" }";

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Path folder;
    private final int port;
    private final Thread hook = new Thread(this::close);
    private Process process;

    private NatsServer(Path folder, int port) {
        this.folder = folder;
        this.port = port;
        this.process = launch();
        Runtime.getRuntime().addShutdownHook(hook);
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

    /** With JetStream, and a login. */
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

    public int port() {
        return port;
    }

    /** With user and password. */
    public String url() {
        return "nats://" + USER + ":" + PASSWORD + "@127.0.0.1:" + port;
    }

    /** SIGKILL. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** In good order. */
    public void stop() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("NATS did not stop");
        }
    }

    /** After it was killed or stopped. */
    public void restart() {
        process = launch();
    }

    /** SIGSTOP: it answers nothing, and its kernel goes on answering for it. */
    public void freeze() throws InterruptedException {
        Signals.freeze(process.pid());
    }

    /** SIGCONT. */
    public void thaw() {
        Signals.thaw(process.pid());
    }

    private Process launch() {
        try {
            Path output = folder.resolve("out.txt");
            Process started = new ProcessBuilder(
                            program().orElseThrow().toString(),
                            "-c",
                            folder.resolve("nats.conf").toString())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (!Files.readString(output).contains("Server is ready") || !listens()) {
                if (!started.isAlive() || System.nanoTime() > end) {
                    throw new IllegalStateException("NATS did not start: " + Files.readString(output));
                }
                Thread.sleep(5);
            }
            return started;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException inAHurry) {
            throw new IllegalStateException(inAHurry);
        }
    }

    private boolean listens() {
        try (Socket probe = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return probe.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Kills it, and removes its folder. */
    @Override
    public void close() {
        try {
            kill();
            try (Stream<Path> files = Files.walk(folder)) {
                files.sorted(Comparator.reverseOrder())
                        .forEach(each -> each.toFile().delete());
            }
            if (Thread.currentThread() != hook) {
                Runtime.getRuntime().removeShutdownHook(hook);
            }
        } catch (IOException | InterruptedException failure) {
            throw new IllegalStateException("NATS's remains could not be removed", failure);
        }
    }
}
