package org.pgbaton.spring.relay;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.pgbaton.kafka.broker.BrokerProcess;

/** A broker of Baton's own version of Kafka, in a JVM of its own: the client is the one of this Boot. */
final class Kafka {
    private static final Path CLASS_PATH = Path.of("..", "baton-kafka-broker", "target", "class-path.txt");

    private Kafka() {}

    static BrokerProcess start() throws IOException, URISyntaxException {
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
