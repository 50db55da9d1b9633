package org.pgbaton.kafka.broker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A real Kafka broker in a JVM of its own. Tests can kill it, freeze it, and start it again with the same port and
 * data. It ends when this JVM does. Not thread-safe.
 */
public final class BrokerProcess implements AutoCloseable {
    private static final List<String> QUICK = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m");

    /** The broker's class path, for tests whose own class path has another version of Kafka's client. */
    private static final String CLASS_PATH = "baton.kafka.broker.classpath";

    private final Path directory;
    private final List<String> settings;
    private final List<String> flags;
    private Process process;
    private String servers = "";
    private String inside = "";

    private BrokerProcess(Path directory, Map<String, String> settings, List<String> flags) {
        this.directory = directory;
        this.settings = settings.entrySet().stream()
                .map(setting -> setting.getKey() + "=" + setting.getValue())
                .toList();
        this.flags = flags;
        this.process = launch();
    }

    public static BrokerProcess start() {
        return start(Map.of());
    }

    /** @param settings as in Kafka's {@code server.properties} */
    public static BrokerProcess start(Map<String, String> settings) {
        return start(settings, QUICK);
    }

    /** A second broker of this one's cluster. The first one remains the controller. */
    public BrokerProcess join() {
        Path second = Node.newDirectory();
        Node.join(second, Node.load(directory), Map.of());
        return new BrokerProcess(second, Map.of(), QUICK);
    }

    /** @param flags of its JVM; the default flags make it start quickly */
    public static BrokerProcess start(Map<String, String> settings, List<String> flags) {
        return new BrokerProcess(Node.newDirectory(), settings, flags);
    }

    /**
     * Clients of {@link #bootstrapServers} are sent to this port, where the caller has a proxy to them. Those of {@link #insideServers}
     * are not.
     */
    public static BrokerProcess startBehind(int proxyPort, Map<String, String> settings, List<String> flags) {
        List<String> all = new ArrayList<>(flags);
        all.add("-D" + TestBroker.PROXY + "=" + proxyPort);
        return start(settings, all);
    }

    private Process launch() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.add("-cp");
        command.add(System.getProperty(CLASS_PATH, System.getProperty("java.class.path")));
        command.addAll(List.of(TestBroker.class.getName(), "0", directory.toString()));
        command.addAll(settings);
        try {
            Process started = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            BufferedReader output = started.inputReader();
            servers = await("ready ", output);
            inside = await("inside ", output);
            return started;
        } catch (IOException refused) {
            throw new UncheckedIOException(refused);
        }
    }

    private static String await(String start, BufferedReader output) throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(start)) {
                return line.substring(start.length());
            }
        }
        throw new IOException("The broker ended before it was ready.");
    }

    public String bootstrapServers() {
        return servers;
    }

    /** A second listener, which needs no password and leads past a proxy. */
    public String insideServers() {
        return inside;
    }

    public TestTopics topics() {
        return new TestTopics(inside);
    }

    public long pid() {
        return process.pid();
    }

    /** SIGKILL. */
    public void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** SIGSTOP: connections stay, and nobody answers. */
    public void freeze() {
        signal("STOP");
    }

    /** SIGCONT. */
    public void thaw() {
        signal("CONT");
    }

    /** Returns when clients can use it again. */
    public void restart() {
        kill();
        process = launch();
    }

    private void signal(String name) {
        try {
            int exit = new ProcessBuilder("kill", "-" + name, Long.toString(pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new IllegalStateException("kill -" + name + " " + pid() + " failed");
            }
        } catch (IOException | InterruptedException failure) {
            throw new IllegalStateException("kill -" + name + " " + pid() + " failed", failure);
        }
    }

    private void awaitEnd() {
        try {
            process.waitFor();
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
        }
    }

    /** Kills it and removes its data. */
    @Override
    public void close() {
        kill();
        Node.load(directory).delete();
    }
}
