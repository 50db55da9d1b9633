package com.example.shop.check;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.utils.Time;
import org.slf4j.LoggerFactory;

/** A real Kafka broker in this JVM, with one topic, which can be read from its beginning to its end. */
final class Broker implements AutoCloseable {
    private static final int PARTITIONS = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final String topic;
    private final String address;
    private final KafkaRaftServer server;

    Broker(Path directory, String topic) throws Exception {
        ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.ERROR);
        int port = freePort();
        this.topic = topic;
        this.address = "127.0.0.1:" + port;
        Properties settings = settings(directory, port, freePort());
        format(directory, settings);
        this.server = new KafkaRaftServer(KafkaConfig.fromProps(settings, false), Time.SYSTEM);
        server.startup();
        try (Admin admin = Admin.create(Map.<String, Object>of("bootstrap.servers", address))) {
            admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1)))
                    .all()
                    .get(60, TimeUnit.SECONDS);
        }
    }

    String address() {
        return address;
    }

    /**
     * What a consumer of committed messages gets: by key, in order. Waits until Kafka has marked all transactions as committed or aborted,
     * which it does after it has answered the producer.
     */
    Map<String, List<String>> messages() throws InterruptedException {
        Map<String, List<String>> messages = new TreeMap<>();
        try (var committed = consumer("read_committed");
                var everything = consumer("read_uncommitted")) {
            List<TopicPartition> partitions = committed.partitionsFor(topic).stream()
                    .map(each -> new TopicPartition(topic, each.partition()))
                    .toList();
            long limit = System.nanoTime() + PATIENCE.toNanos();
            while (!committed.endOffsets(partitions).equals(everything.endOffsets(partitions))
                    && System.nanoTime() < limit) {
                Thread.sleep(20);
            }
            Map<TopicPartition, Long> ends = committed.endOffsets(partitions);
            committed.assign(partitions);
            committed.seekToBeginning(partitions);
            while (partitions.stream().anyMatch(each -> committed.position(each) < ends.get(each))
                    && System.nanoTime() < limit) {
                for (ConsumerRecord<String, String> record : committed.poll(Duration.ofMillis(100))) {
                    messages.computeIfAbsent(record.key(), key -> new ArrayList<>())
                            .add(record.value());
                }
            }
        }
        return messages;
    }

    private KafkaConsumer<String, String> consumer(String isolation) {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", address, "isolation.level", isolation, "enable.auto.commit", "false");
        return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }

    @Override
    public void close() {
        server.shutdown();
        server.awaitShutdown();
    }

    private static Properties settings(Path directory, int port, int controller) {
        Properties settings = new Properties();
        settings.put("process.roles", "broker,controller");
        settings.put("node.id", "1");
        settings.put("log.dirs", directory.resolve("data").toString());
        settings.put("listeners", "CLIENT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controller);
        settings.put("advertised.listeners", "CLIENT://127.0.0.1:" + port);
        settings.put("listener.security.protocol.map", "CLIENT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        settings.put("inter.broker.listener.name", "CLIENT");
        settings.put("controller.listener.names", "CONTROLLER");
        settings.put("controller.quorum.bootstrap.servers", "127.0.0.1:" + controller);
        settings.put("auto.create.topics.enable", "false");
        // One broker is the whole cluster.
        settings.put("offsets.topic.replication.factor", "1");
        settings.put("transaction.state.log.replication.factor", "1");
        settings.put("transaction.state.log.min.isr", "1");
        settings.put("share.coordinator.state.topic.replication.factor", "1");
        settings.put("log.cleaner.dedupe.buffer.size", "2097152");
        return settings;
    }

    private static void format(Path directory, Properties settings) throws IOException {
        Path file = directory.resolve("server.properties");
        try (OutputStream output = Files.newOutputStream(file)) {
            settings.store(output, null);
        }
        String[] command = {
            "format", "-t", Uuid.randomUuid().toString(), "-c", file.toString(), "--standalone"
        };
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        if (StorageTool.execute(command, nowhere) != 0) {
            throw new IOException("Kafka's storage in " + directory + " could not be formatted.");
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
