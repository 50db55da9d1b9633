package org.pgbaton.kafka.broker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Makes topics, and reads what is in them from beginning to end, with connections of its own for each call. Thread-safe. */
public final class TestTopics {
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final String servers;

    public TestTopics(String bootstrapServers) {
        this.servers = bootstrapServers;
    }

    /** @return a name that no other topic of this JVM has */
    public String create(int partitions) {
        return create("topic-" + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet(), partitions, Map.of());
    }

    /** @param settings of the topic, such as {@code min.insync.replicas} */
    public String create(String topic, int partitions, Map<String, String> settings) {
        try (Admin admin = admin()) {
            NewTopic wanted = new NewTopic(topic, Optional.of(partitions), Optional.empty()).configs(settings);
            admin.createTopics(List.of(wanted)).all().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException refused) {
            throw new IllegalStateException("Topic " + topic + " could not be created.", refused);
        }
        return topic;
    }

    /**
     * The records that a {@code read_committed} consumer gets, in order within each partition. Waits until no
     * transaction is undecided.
     *
     * @throws AssertionError if a transaction stays undecided
     */
    public List<ConsumerRecord<byte[], byte[]>> committed(String topic) {
        try (KafkaConsumer<byte[], byte[]> committed = consumer(IsolationLevel.READ_COMMITTED);
                KafkaConsumer<byte[], byte[]> everything = consumer(IsolationLevel.READ_UNCOMMITTED)) {
            List<TopicPartition> partitions = partitions(committed, topic);
            long end = System.nanoTime() + LIMIT.toNanos();
            while (!committed.endOffsets(partitions).equals(everything.endOffsets(partitions))) {
                if (System.nanoTime() > end) {
                    throw new AssertionError("A transaction on topic " + topic + " is still undecided.");
                }
                pause();
            }
            return read(committed, partitions);
        }
    }

    /** The records that such a consumer gets now: in each partition, up to the first undecided transaction. */
    public List<ConsumerRecord<byte[], byte[]>> visible(String topic) {
        try (KafkaConsumer<byte[], byte[]> committed = consumer(IsolationLevel.READ_COMMITTED)) {
            return read(committed, partitions(committed, topic));
        }
    }

    /** The same of one partition; the others may be away. */
    public List<ConsumerRecord<byte[], byte[]>> partition(String topic, int number) {
        try (KafkaConsumer<byte[], byte[]> committed = consumer(IsolationLevel.READ_COMMITTED)) {
            return read(committed, List.of(new TopicPartition(topic, number)));
        }
    }

    /** Everything that was written, also by transactions that were aborted or are undecided. */
    public List<ConsumerRecord<byte[], byte[]>> written(String topic) {
        try (KafkaConsumer<byte[], byte[]> everything = consumer(IsolationLevel.READ_UNCOMMITTED)) {
            return read(everything, partitions(everything, topic));
        }
    }

    /** To be closed by the caller. */
    public Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", servers));
    }

    private static List<TopicPartition> partitions(KafkaConsumer<byte[], byte[]> consumer, String topic) {
        return consumer.partitionsFor(topic).stream()
                .map(partition -> new TopicPartition(topic, partition.partition()))
                .sorted(Comparator.comparing(TopicPartition::partition))
                .toList();
    }

    private static List<ConsumerRecord<byte[], byte[]>> read(
            KafkaConsumer<byte[], byte[]> consumer, List<TopicPartition> partitions) {
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        long limit = System.nanoTime() + LIMIT.toNanos();
        while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.getOrDefault(each, 0L))) {
            if (System.nanoTime() > limit) {
                throw new AssertionError("The topics could not be read to their end: " + partitions);
            }
            consumer.poll(Duration.ofMillis(100)).forEach(records::add);
        }
        records.removeIf(
                each -> each.offset() >= ends.getOrDefault(new TopicPartition(each.topic(), each.partition()), 0L));
        return records;
    }

    private KafkaConsumer<byte[], byte[]> consumer(IsolationLevel isolation) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", servers);
        settings.put("isolation.level", isolation.toString().toLowerCase(Locale.ROOT));
        settings.put("enable.auto.commit", "false");
        settings.put("allow.auto.create.topics", "false");
        return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private static void pause() {
        try {
            Thread.sleep(10);
        } catch (InterruptedException inAHurry) {
            throw new IllegalStateException(inAHurry);
        }
    }
}
