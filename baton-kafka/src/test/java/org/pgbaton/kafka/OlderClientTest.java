package org.pgbaton.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.pgbaton.Baton;
import org.pgbaton.kafka.broker.TestBroker;
import org.pgbaton.testkit.BatonTest;
import org.pgbaton.testkit.TestDatabase;

/** The oldest client that Baton works with, in a JVM of its own; the broker stays what it is. */
@BatonTest
class OlderClientTest {
    private static final String VERSION = "3.9.1";
    private static final Duration SOON = Duration.ofSeconds(40);

    private final TestBroker broker = TestBroker.shared();

    @Test
    void exactlyOnceWithParkedKeysAndATakeOver(TestDatabase database) throws Exception {
        String topic = broker.topics().create(2);
        String late = topic + "-late";
        append(database, topic, "a", "1", "2");
        append(database, late, "b", "3", "4");
        Process relay = start(database, "older-once", "once");
        try (Baton baton = database.baton()) {
            await().atMost(SOON)
                    .until(() -> database.one("SELECT state FROM baton.parked").equals("parked"));
            broker.topics().create(late, 1, java.util.Map.of());
            baton.subscriptions().retry("older-once", "b", "the topic is there now");
            database.drain("older-once", SOON);
            relay.destroyForcibly().waitFor();
            append(database, topic, "a", "5");
            relay = start(database, "older-once", "once");
            database.drain("older-once", SOON);
        } finally {
            relay.destroyForcibly().waitFor();
        }
        assertThat(values(topic)).containsExactly("1", "2", "5");
        assertThat(values(late)).containsExactly("3", "4");
    }

    @Test
    void atLeastOnce(TestDatabase database) throws Exception {
        String topic = broker.topics().create(2);
        append(database, topic, "a", "1", "2", "3");
        Process relay = start(database, "older-least", "least");
        try {
            database.drain("older-least", SOON);
            relay.getOutputStream().close();
            assertThat(relay.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } finally {
            relay.destroyForcibly().waitFor();
        }
        assertThat(values(topic)).containsExactly("1", "2", "3");
    }

    private static void append(TestDatabase database, String topic, String key, String... texts) throws Exception {
        database.execute("INSERT INTO baton.outbox (topic, key, payload) SELECT '" + topic + "', '" + key
                + "', n::json FROM unnest(ARRAY['" + String.join("','", texts) + "']) n");
    }

    private List<String> values(String topic) {
        return broker.topics().committed(topic).stream().map(Outbox::value).toList();
    }

    private Process start(TestDatabase database, String name, String how) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx128m",
                        "-cp",
                        classPath(),
                        RelayProgram.class.getName(),
                        broker.bootstrapServers(),
                        database.url(),
                        name,
                        how)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertThat(process.inputReader().readLine()).isEqualTo("client " + VERSION);
        return process;
    }

    /** Ours, with another client in the place of the one that is there. */
    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).getFileName().toString().startsWith("kafka-clients-")
                        ? olderThan(Path.of(entry)).toString()
                        : entry)
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** The build copies it; without a build it may be beside the other versions in the local repository. */
    private static Path olderThan(Path current) {
        String name = "kafka-clients-" + VERSION + ".jar";
        Path copied = Path.of("target", "older-client", name);
        Path version = current.getParent();
        return Files.exists(copied) || version == null
                ? copied
                : version.resolveSibling(VERSION).resolve(name);
    }
}
