package org.pgbaton.server.demo;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.pgbaton.server.command.TryLaterException;
import tools.jackson.databind.ObjectMapper;

/** A new topic of a real Kafka, and a consumer that reads what is committed there. */
final class KafkaTopic implements DemoTarget {
    private static final int PARTITIONS = 4;

    private final Arrivals arrivals = new Arrivals("trades");
    private final ObjectMapper json = new ObjectMapper();
    private final String servers;
    private final String topic;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Thread reader;

    /** @param topic to be created */
    KafkaTopic(String servers, String topic) throws InterruptedException {
        this.servers = servers;
        this.topic = topic;
        create();
        Properties settings = new Properties();
        settings.put("bootstrap.servers", servers);
        settings.put("isolation.level", "read_committed");
        settings.put("enable.auto.commit", "false");
        settings.put("auto.offset.reset", "earliest");
        this.consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        this.reader = new Thread(this::read, "kafka-reader");
        reader.setDaemon(true);
        reader.start();
    }

    private void create() throws InterruptedException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
            admin.createTopics(List.of(new NewTopic(topic, Optional.of(PARTITIONS), Optional.empty())))
                    .all()
                    .get(20, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException away) {
            throw new TryLaterException("Kafka at " + servers + " did not create the topic '" + topic
                    + "': is it there, and may topics be created?");
        }
    }

    private void read() {
        consumer.assign(IntStream.range(0, PARTITIONS)
                .mapToObj(number -> new TopicPartition(topic, number))
                .toList());
        try {
            while (true) {
                consumer.poll(Duration.ofMillis(200))
                        .forEach(trade -> arrivals.accept(
                                new String(trade.key(), StandardCharsets.UTF_8),
                                json.readTree(trade.value()).path("number").asLong()));
            }
        } catch (WakeupException closed) {
            consumer.close();
        }
    }

    @Override
    public String name() {
        return "Kafka, topic " + topic;
    }

    @Override
    public List<String> workerOptions() {
        return List.of("--kafka", servers);
    }

    @Override
    public String topic() {
        return topic;
    }

    @Override
    public Arrivals arrivals() {
        return arrivals;
    }

    @Override
    public boolean isExactlyOnce() {
        return true;
    }

    @Override
    public void close() {
        consumer.wakeup();
        try {
            reader.join(2000);
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
        }
    }
}
