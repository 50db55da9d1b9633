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
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.pgbaton.testkit.Signals;

/**
 * A real RabbitMQ, from Debian's package, with a folder and ports of its own; never the system's service. To be killed, frozen and
 * restarted: it keeps its ports and data. Up in about 5 s. Not thread-safe.
 */
public final class RabbitServer implements AutoCloseable {
    public static final String USER = "baton";
    public static final String PASSWORD = "sEcr3t-rabbit";
    public static final String MISSING = "no RabbitMQ here (apt-get install rabbitmq-server)";

    /** Not the wrapper in /usr/sbin, which works for the system's service alone. */
    private static final Path PROGRAMS = Path.of("/usr/lib/rabbitmq/bin");

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path folder;
    private final List<Integer> ports;
    private final Thread hook = new Thread(this::close);
    private Process process;

    private RabbitServer(Path folder, List<Integer> ports) {
        this.folder = folder;
        this.ports = ports;
        this.process = launch();
        Runtime.getRuntime().addShutdownHook(hook);
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

    public int port() {
        return ports.get(0);
    }

    /** With user and password. */
    public String uri() {
        return "amqp://" + USER + ":" + PASSWORD + "@127.0.0.1:" + port();
    }

    /**
     * Queues, exchanges and bindings that were declared so far survive a kill from now on. RabbitMQ answers a declaration when it has it in
     * memory, and writes it to its disk when it comes to that.
     */
    public void writeDown() {
        control("eval", "ok = mnesia:sync_log(), dumped = mnesia:dump_log().");
    }

    /** SIGKILL. What was declared a moment ago may be gone then, unless it was {@linkplain #writeDown written down}. */
    public void kill() throws InterruptedException {
        List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
        all.add(process.toHandle());
        all.forEach(ProcessHandle::destroyForcibly);
        process.waitFor();
        for (ProcessHandle each : all) {
            while (each.isAlive()) {
                Thread.sleep(5);
            }
        }
    }

    /** After it was killed or stopped. */
    public void restart() {
        process = launch();
    }

    /** In good order. */
    public void stop() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("RabbitMQ did not stop");
        }
    }

    /** SIGSTOP: it answers nothing, and its kernel goes on answering for it. */
    public void freeze() throws InterruptedException {
        Signals.freeze(node());
    }

    /** SIGCONT. */
    public void thaw() {
        Signals.thaw(node());
    }

    private long node() {
        return process.descendants()
                .filter(each -> each.info().command().orElse("").endsWith("beam.smp"))
                .findFirst()
                .orElseThrow()
                .pid();
    }

    /** What {@code rabbitmqctl} does, in about half a second. */
    public String control(String... arguments) {
        List<String> command = new ArrayList<>(
                List.of(PROGRAMS.resolve("rabbitmqctl").toString(), "--quiet", "-n", "baton@localhost"));
        command.addAll(List.of(arguments));
        return run(command);
    }

    private Process launch() {
        try {
            Path output = folder.resolve("out.txt");
            Files.deleteIfExists(output);
            Process started = command(
                            List.of(PROGRAMS.resolve("rabbitmq-server").toString()))
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (!Files.readString(output).contains("Starting broker... completed")) {
                if (!started.isAlive() || System.nanoTime() > end) {
                    throw new IllegalStateException("RabbitMQ did not start: " + Files.readString(output));
                }
                Thread.sleep(20);
            }
            return started;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException inAHurry) {
            throw new IllegalStateException(inAHurry);
        }
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

    /** Kills it, and removes its folder. */
    @Override
    public void close() {
        try {
            kill();
            // The port mapper is a daemon of its own.
            command(List.of("epmd", "-port", Integer.toString(ports.get(2)), "-kill"))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
            try (Stream<Path> files = Files.walk(folder)) {
                files.sorted(Comparator.reverseOrder())
                        .forEach(each -> each.toFile().delete());
            }
            if (Thread.currentThread() != hook) {
                Runtime.getRuntime().removeShutdownHook(hook);
            }
        } catch (IOException | InterruptedException failure) {
            throw new IllegalStateException("RabbitMQ's remains could not be removed", failure);
        }
    }
}
