package org.pgbaton.compat;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.pgbaton.kafka.broker.BrokerProcess;

/** A broker of Baton's own version of Kafka, in a JVM of its own: these tests are about the client only. */
final class Kafka {
    private static final Path CLASS_PATH = Path.of("..", "..", "baton-kafka-broker", "target", "class-path.txt");

    private static @Nullable BrokerProcess shared;

    private Kafka() {}

    /** One broker for all tests of this JVM. Tests leave it running; it ends with the JVM. */
    static synchronized BrokerProcess broker() throws IOException, URISyntaxException {
        BrokerProcess broker = shared;
        if (broker == null) {
            broker = start();
            shared = broker;
            Runtime.getRuntime().addShutdownHook(new Thread(broker::close, "baton-kafka-broker-close"));
        }
        return broker;
    }

    private static BrokerProcess start() throws IOException, URISyntaxException {
        Path program = Path.of(BrokerProcess.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        System.setProperty(
                "baton.kafka.broker.classpath",
                program + File.pathSeparator + Files.readString(CLASS_PATH).strip());
        return BrokerProcess.start();
    }
}
