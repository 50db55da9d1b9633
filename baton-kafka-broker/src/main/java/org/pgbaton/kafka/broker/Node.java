package org.pgbaton.kafka.broker;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.common.utils.Time;

/**
 * A directory with everything that a broker needs to start, and to start again: its settings, with the ports, and its
 * data. The node is broker and controller in one, and a cluster of its own. Immutable.
 */
final class Node {
    private static final String HOST = "127.0.0.1";
    private static final String FILE = "server.properties";
    /** Not a setting of Kafka, which ignores unknown settings. */
    private static final String CLUSTER = "baton.cluster.id";

    private final Path directory;
    private final Properties settings;

    private Node(Path directory, Properties settings) {
        this.directory = directory;
        this.settings = settings;
    }

    /**
     * @param port for clients; 0 for one that is free
     * @param proxy the port that clients are sent to; 0 if it is the same
     * @param own settings that override those made here
     */
    static Node create(Path directory, int port, int proxy, Map<String, String> own) {
        List<Integer> free = freePorts(3);
        Properties settings = new Properties();
        settings.put(CLUSTER, Uuid.randomUuid().toString());
        settings.put("process.roles", "broker,controller");
        settings.put("node.id", "1");
        settings.put("log.dirs", directory.resolve("data").toString());
        String clients = "CLIENT://" + HOST + ":" + (port == 0 ? free.get(0) : port);
        String inside = "INSIDE://" + HOST + ":" + free.get(1);
        settings.put("listeners", clients + "," + inside + ",CONTROLLER://" + HOST + ":" + free.get(2));
        settings.put("advertised.listeners", (proxy == 0 ? clients : "CLIENT://" + HOST + ":" + proxy) + "," + inside);
        settings.put("listener.security.protocol.map", "CLIENT:PLAINTEXT,INSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT");
        settings.put("inter.broker.listener.name", "INSIDE");
        settings.put("controller.listener.names", "CONTROLLER");
        settings.put("controller.quorum.bootstrap.servers", HOST + ":" + free.get(2));
        settings.put("auto.create.topics.enable", "false");
        settings.put("offsets.topic.replication.factor", "1");
        settings.put("offsets.topic.num.partitions", "1");
        settings.put("transaction.state.log.replication.factor", "1");
        settings.put("transaction.state.log.min.isr", "1");
        settings.put("transaction.state.log.num.partitions", "4");
        settings.put("share.coordinator.state.topic.replication.factor", "1");
        settings.put("group.initial.rebalance.delay.ms", "0");
        // Small and quick: by default the cleaner's buffer takes 128 MB, and a broker that restarts after a kill waits
        // for its own old session.
        settings.put("log.cleaner.dedupe.buffer.size", "2097152");
        settings.put("broker.session.timeout.ms", "2000");
        settings.put("broker.heartbeat.interval.ms", "500");
        settings.putAll(own);
        Node node = new Node(directory, settings);
        node.format();
        return node;
    }

    /** Another broker of that node's cluster, which is and stays the only controller. */
    static Node join(Path directory, Node first, Map<String, String> own) {
        List<Integer> free = freePorts(2);
        Properties settings = new Properties();
        settings.putAll(first.settings);
        settings.put("process.roles", "broker");
        settings.put("node.id", "2");
        settings.put("log.dirs", directory.resolve("data").toString());
        String listeners = "CLIENT://" + HOST + ":" + free.get(0) + ",INSIDE://" + HOST + ":" + free.get(1);
        settings.put("listeners", listeners);
        settings.put("advertised.listeners", listeners);
        settings.putAll(own);
        Node node = new Node(directory, settings);
        node.format();
        return node;
    }

    static Node load(Path directory) {
        Properties settings = new Properties();
        try (InputStream file = Files.newInputStream(directory.resolve(FILE))) {
            settings.load(file);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return new Node(directory, settings);
    }

    static boolean isIn(Path directory) {
        return Files.exists(directory.resolve(FILE));
    }

    static Path newDirectory() {
        try {
            return Files.createTempDirectory("baton-kafka-");
        } catch (IOException full) {
            throw new UncheckedIOException(full);
        }
    }

    /** Returns when clients can use it. */
    KafkaRaftServer start() {
        // After a fatal error Kafka would end the whole JVM without a message; here that is the test's JVM.
        Exit.setHaltProcedure((status, message) -> {
            throw new IllegalStateException("Kafka's broker in " + directory + " cannot go on: " + message);
        });
        KafkaRaftServer server = new KafkaRaftServer(KafkaConfig.fromProps(settings, false), Time.SYSTEM);
        server.startup();
        return server;
    }

    /** Where clients connect to. */
    String servers() {
        return address(0);
    }

    /** A second listener that needs no password, even when clients need one. */
    String inside() {
        return address(1);
    }

    private String address(int listener) {
        String url = settings.getProperty("listeners").split(",")[listener];
        return url.substring(url.indexOf("://") + 3);
    }

    private void format() {
        Path file = directory.resolve(FILE);
        try {
            Files.createDirectories(directory);
            try (OutputStream output = Files.newOutputStream(file)) {
                settings.store(output, null);
            }
        } catch (IOException refused) {
            throw new UncheckedIOException(refused);
        }
        List<String> command =
                new ArrayList<>(List.of("format", "-t", settings.getProperty(CLUSTER), "-c", file.toString()));
        if (settings.getProperty("process.roles").contains("controller")) {
            command.add("--standalone");
        }
        int exit = StorageTool.execute(
                command.toArray(String[]::new),
                new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        if (exit != 0) {
            throw new IllegalStateException("Kafka's storage in " + directory + " could not be formatted.");
        }
    }

    void delete() {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException inUse) {
            throw new UncheckedIOException(inUse);
        }
    }

    /**
     * Ports below the range that the system uses for outgoing connections: such a port stays free until the broker
     * listens, also after a restart.
     */
    private static List<Integer> freePorts(int number) {
        List<Integer> free = new ArrayList<>();
        while (free.size() < number) {
            int port = ThreadLocalRandom.current().nextInt(15_000, 30_000);
            if (!free.contains(port) && isFree(port)) {
                free.add(port);
            }
        }
        return free;
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
