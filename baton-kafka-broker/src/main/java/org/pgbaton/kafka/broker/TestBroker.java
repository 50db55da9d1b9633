package org.pgbaton.kafka.broker;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import kafka.server.KafkaRaftServer;
import org.jspecify.annotations.Nullable;

/**
 * A real Kafka broker in this JVM: up in a few seconds, restarted in one or two. It creates no topics by itself.
 *
 * <p>For one that can be killed or frozen: {@link BrokerProcess}. As a program: {@code java … org.pgbaton.kafka.broker.TestBroker PORT}.
 *
 * <p>Thread-safe.
 */
public final class TestBroker implements AutoCloseable {
    /** System property of {@link #main}: the port that clients are sent to; see {@link Options#behind}. */
    static final String PROXY = "baton.kafka.broker.proxy";

    private static @Nullable TestBroker shared;

    private final Node node;
    private @Nullable KafkaRaftServer running;

    private TestBroker(Node node) {
        this.node = node;
        this.running = node.start();
    }

    public static TestBroker start() {
        return with().start();
    }

    public static Options with() {
        return new Options();
    }

    /** One for all tests of this JVM, which use topics of their own and leave it running. */
    public static synchronized TestBroker shared() {
        TestBroker broker = shared;
        if (broker == null) {
            broker = start();
            shared = broker;
            Runtime.getRuntime().addShutdownHook(new Thread(broker::close, "baton-kafka-broker-close"));
        }
        return broker;
    }

    public String bootstrapServers() {
        return node.servers();
    }

    /** Topics of this broker, also if clients need a password. */
    public TestTopics topics() {
        return new TestTopics(node.inside());
    }

    /** Ends it in good order. Data and port are kept. */
    public synchronized void stop() {
        if (running != null) {
            running.shutdown();
            running.awaitShutdown();
            running = null;
        }
    }

    /** On the same port, with the same data. */
    public synchronized void restart() {
        stop();
        running = node.start();
    }

    /** Stops it and removes its data. */
    @Override
    public synchronized void close() {
        stop();
        node.delete();
    }

    /** The options of a broker. Not thread-safe. */
    public static final class Options {
        private final Map<String, String> settings = new LinkedHashMap<>();
        private int port;
        private int proxy;

        private Options() {}

        /** Default: one that is free. */
        public Options port(int number) {
            this.port = number;
            return this;
        }

        /** As in Kafka's {@code server.properties}. */
        public Options setting(String name, String value) {
            settings.put(name, value);
            return this;
        }

        /** Clients are sent to this port, where the test has a proxy to {@link TestBroker#bootstrapServers}. */
        public Options behind(int proxyPort) {
            this.proxy = proxyPort;
            return this;
        }

        /** Clients must log in: SASL_PLAINTEXT, mechanism PLAIN. */
        public Options user(String name, String password) {
            settings.put(
                    "listener.security.protocol.map", "CLIENT:SASL_PLAINTEXT,INSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT");
            settings.put("listener.name.client.sasl.enabled.mechanisms", "PLAIN");
            settings.put(
                    "listener.name.client.plain.sasl.jaas.config",
                    "org.apache.kafka.common.security.plain.PlainLoginModule required user_" + name + "=\"" + password
                            + "\";");
            return this;
        }

        /** Users may do only what ACLs allow; {@link TestBroker#topics} may do everything. */
        public Options authorizing() {
            settings.put("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
            settings.put("super.users", "User:ANONYMOUS");
            return this;
        }

        public TestBroker start() {
            return new TestBroker(Node.create(Node.newDirectory(), port, proxy, settings));
        }
    }

    /**
     * Runs a broker until its standard input ends or it is told to terminate: {@code PORT [DIRECTORY [name=value…]]}.
     * Prints {@code ready host:port} and {@code inside host:port}, the listener that needs no password. If the
     * directory holds a broker already, that broker is started with its port and settings; without a directory, data
     * are removed at the end.
     */
    public static void main(String... arguments) throws IOException {
        if (arguments.length == 0) {
            System.err.println("Usage: TestBroker PORT [DIRECTORY [name=value…]]");
            System.exit(64);
        }
        boolean keep = arguments.length > 1;
        Path directory = keep ? Path.of(arguments[1]) : Node.newDirectory();
        Node node = Node.isIn(directory)
                ? Node.load(directory)
                : Node.create(
                        directory, Integer.parseInt(arguments[0]), Integer.getInteger(PROXY, 0), settings(arguments));
        KafkaRaftServer server = started(node);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            server.shutdown();
            server.awaitShutdown();
            if (!keep) {
                node.delete();
            }
        }));
        System.out.println("ready " + node.servers());
        System.out.println("inside " + node.inside());
        while (System.in.read() >= 0) {
            // Input is ignored.
        }
        System.exit(0);
    }

    /** Starts the broker. If that fails, ends this process, because threads of the broker would keep it alive. */
    private static KafkaRaftServer started(Node node) {
        try {
            return node.start();
        } catch (RuntimeException failed) {
            failed.printStackTrace();
            Runtime.getRuntime().halt(70);
            throw failed;
        }
    }

    private static Map<String, String> settings(String[] arguments) {
        Map<String, String> settings = new LinkedHashMap<>();
        for (int i = 2; i < arguments.length; i++) {
            int equals = arguments[i].indexOf('=');
            settings.put(arguments[i].substring(0, equals), arguments[i].substring(equals + 1));
        }
        return settings;
    }
}
