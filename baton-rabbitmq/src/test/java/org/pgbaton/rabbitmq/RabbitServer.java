package org.pgbaton.rabbitmq;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.pgbaton.testkit.Signals;
import org.pgbaton.testkit.publisher.BrokerProcess;
import org.pgbaton.testkit.publisher.BrokerServer;

/**
 * A real RabbitMQ, from Debian's package, with a folder and ports of its own; never the system's service. Tests can
 * kill, freeze and restart it; it keeps its ports and data. It is up in about 5 s. Not thread-safe.
 */
public final class RabbitServer implements BrokerServer {
    public static final String USER = "baton";
    public static final String PASSWORD = "sEcr3t-rabbit";
    public static final String MISSING = "no RabbitMQ here (apt-get install rabbitmq-server)";

    /** Not the wrapper in /usr/sbin, which works for the system's service alone. */
    private static final Path PROGRAMS = Path.of("/usr/lib/rabbitmq/bin");

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path folder;
    private final List<Integer> ports;
    private final BrokerProcess process;

    private RabbitServer(Path folder, List<Integer> ports) {
        this.folder = folder;
        this.ports = ports;
        this.process = new BrokerProcess(
                "RabbitMQ",
                folder,
                command(List.of(PROGRAMS.resolve("rabbitmq-server").toString())),
                output -> output.contains("Starting broker... completed"),
                PATIENCE,
                this::endPortMapper);
    }

    public static boolean isInstalled() {
        return Files.isExecutable(PROGRAMS.resolve("rabbitmq-server"));
    }

    /** @param settings lines of {@code rabbitmq.conf} */
    public static RabbitServer start(String... settings) {
        try {
            Path folder = Files.createTempDirectory("baton-rabbitmq");
            Files.writeString(folder.resolve("plugins"), "[].\n");
            Files.writeString(
                    folder.resolve("rabbitmq.conf"),
                    """
                    loopback_users = none
                    default_user = %s
                    default_pass = %s
                    vm_memory_high_watermark.absolute = 2GB
                    disk_free_limit.absolute = 10MB
                    """.formatted(USER, PASSWORD) + String.join("\n", settings) + "\n");
            return new RabbitServer(folder, freePorts(3));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public int port() {
        return ports.get(0);
    }

    /** With user and password. */
    public String uri() {
        return "amqp://" + USER + ":" + PASSWORD + "@127.0.0.1:" + port();
    }

    /**
     * Queues, exchanges and bindings that were declared so far survive a kill from now on. RabbitMQ answers a
     * declaration when it has it in memory, and writes it to disk some time later.
     */
    @Override
    public void writeDown() {
        control("eval", "ok = mnesia:sync_log(), dumped = mnesia:dump_log().");
    }

    /**
     * SIGKILL. Declarations of the last moment may be gone then, unless they were {@linkplain #writeDown written down}.
     */
    @Override
    public void kill() throws InterruptedException {
        process.kill();
    }

    @Override
    public void restart() {
        process.restart();
    }

    @Override
    public void stop() throws InterruptedException {
        process.stop();
    }

    @Override
    public void freeze() throws InterruptedException {
        Signals.freeze(node());
    }

    @Override
    public void thaw() {
        Signals.thaw(node());
    }

    private long node() {
        return process.handle()
                .descendants()
                .filter(each -> each.info().command().orElse("").endsWith("beam.smp"))
                .findFirst()
                .orElseThrow()
                .pid();
    }

    /** Does what {@code rabbitmqctl} does, in about half a second. */
    public String control(String... arguments) {
        List<String> command = new ArrayList<>(
                List.of(PROGRAMS.resolve("rabbitmqctl").toString(), "--quiet", "-n", "baton@localhost"));
        command.addAll(List.of(arguments));
        return run(command);
    }

    private ProcessBuilder command(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("RABBITMQ_"));
        environment.putAll(Map.of(
                "HOME", folder.toString(), // for Erlang's cookie
                "RABBITMQ_CONF_ENV_FILE", "/dev/null",
                "RABBITMQ_CONFIG_FILE", folder.resolve("rabbitmq").toString(),
                "RABBITMQ_ADVANCED_CONFIG_FILE", folder.resolve("advanced").toString(),
                "RABBITMQ_ENABLED_PLUGINS_FILE", folder.resolve("plugins").toString(),
                "RABBITMQ_MNESIA_BASE", folder.resolve("data").toString(),
                "RABBITMQ_LOG_BASE", folder.resolve("log").toString()));
        environment.putAll(Map.of(
                "RABBITMQ_NODENAME",
                "baton@localhost",
                "RABBITMQ_NODE_IP_ADDRESS",
                "127.0.0.1",
                "RABBITMQ_NODE_PORT",
                Integer.toString(ports.get(0)),
                "RABBITMQ_DIST_PORT",
                Integer.toString(ports.get(1)),
                "ERL_EPMD_PORT",
                Integer.toString(ports.get(2)),
                "ERL_EPMD_ADDRESS",
                "127.0.0.1"));
        return builder.directory(folder.toFile());
    }

    private String run(List<String> arguments) {
        try {
            Process started = command(arguments).redirectErrorStream(true).start();
            String output = new String(started.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (started.waitFor() != 0) {
                throw new IllegalStateException(arguments + " failed: " + output);
            }
            return output;
        } catch (IOException | InterruptedException failure) {
            throw new IllegalStateException(arguments + " failed", failure);
        }
    }

    static int freePort() {
        try {
            return freePorts(1).get(0);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static List<Integer> freePorts(int number) throws IOException {
        List<ServerSocket> held = new ArrayList<>();
        try {
            for (int i = 0; i < number; i++) {
                held.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            return held.stream().map(ServerSocket::getLocalPort).toList();
        } finally {
            for (ServerSocket each : held) {
                each.close();
            }
        }
    }

    /** A daemon of its own, which the server leaves behind. */
    private void endPortMapper() {
        try {
            command(List.of("epmd", "-port", Integer.toString(ports.get(2)), "-kill"))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException | InterruptedException failure) {
            throw new IllegalStateException("Erlang's port mapper was left behind", failure);
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
