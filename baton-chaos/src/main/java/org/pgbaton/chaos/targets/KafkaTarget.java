package org.pgbaton.chaos.targets;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.pgbaton.chaos.worker.Part;
import org.pgbaton.kafka.broker.BrokerProcess;

/** A topic of its own on a broker that rounds share. */
public final class KafkaTarget implements Target {
    private static final int PARTITIONS = 4;

    private static final int FIRST = 1;
    private static final int SECOND = 2;
    private static final int LIMIT_SECONDS = 30;

    private final BrokerProcess broker;
    private final Part part;
    private final String topic;
    private final Admin admin;
    private @Nullable BrokerProcess second;

    KafkaTarget(BrokerProcess broker, Part part, String name) {
        this.broker = broker;
        this.part = part;
        this.topic = name + "-" + part.subscription();
        broker.topics().create(topic, PARTITIONS, Map.of());
        this.admin = broker.topics().admin();
    }

    @Override
    public Part part() {
        return part;
    }

    @Override
    public String address() {
        return broker.bootstrapServers() + " " + topic;
    }

    @Override
    public long count() throws ExecutionException, InterruptedException {
        return count(0);
    }

    private long count(int from) throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        for (int i = from; i < PARTITIONS; i++) {
            ends.put(new TopicPartition(topic, i), OffsetSpec.latest());
        }
        return admin.listOffsets(ends).all().get().values().stream()
                .mapToLong(end -> end.offset())
                .sum();
    }

    /** Another broker joins, and gets the first partition. */
    public void moveAPartition() throws ExecutionException, InterruptedException, TimeoutException {
        second = broker.join();
        reassign(SECOND);
    }

    /** The first partition has no leader from now on. */
    public void loseThePartition() {
        requireSecond().kill();
    }

    /** Whether a transaction that wrote to the first partition has not ended there. */
    public boolean isInATransaction() throws ExecutionException, InterruptedException, TimeoutException {
        TopicPartition first = new TopicPartition(topic, 0);
        return admin
                .describeProducers(List.of(first))
                .partitionResult(first)
                .get(LIMIT_SECONDS, TimeUnit.SECONDS)
                .activeProducers()
                .stream()
                .anyMatch(producer -> producer.currentTransactionStartOffset().isPresent());
    }

    /** It has one again, and returns to the broker that stays. */
    public void recoverThePartition() throws ExecutionException, InterruptedException, TimeoutException {
        BrokerProcess joined = requireSecond();
        joined.restart();
        reassign(FIRST);
        joined.close();
        second = null;
    }

    private BrokerProcess requireSecond() {
        if (second == null) {
            throw new IllegalStateException("no second broker has joined");
        }
        return second;
    }

    private void reassign(int node) throws ExecutionException, InterruptedException, TimeoutException {
        admin.alterPartitionReassignments(
                        Map.of(new TopicPartition(topic, 0), Optional.of(new NewPartitionReassignment(List.of(node)))))
                .all()
                .get(LIMIT_SECONDS, TimeUnit.SECONDS);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (leader() != node) {
            if (System.nanoTime() - end > 0) {
                throw new TimeoutException("Partition 0 of " + topic + " did not get to broker " + node + " in time.");
            }
            Thread.sleep(20);
        }
    }

    private int leader() throws ExecutionException, InterruptedException {
        TopicDescription described = admin.describeTopics(List.of(topic))
                .topicNameValues()
                .values()
                .iterator()
                .next()
                .get();
        @Nullable Node leader = described.partitions().get(0).leader();
        return leader == null ? -1 : leader.id();
    }

    /** How much has arrived in all partitions but the first. */
    public long countOfOthers() throws ExecutionException, InterruptedException {
        return count(1);
    }

    @Override
    public List<Arrival> arrivals() {
        List<Arrival> arrivals = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> each : broker.topics().committed(topic)) {
            arrivals.add(new Arrival(
                    part.subscription(),
                    text(each.key()),
                    header(each, "baton-id"),
                    Long.parseLong(header(each, "baton-epoch"))));
        }
        return arrivals;
    }

    private static String header(ConsumerRecord<byte[], byte[]> message, String name) {
        return text(message.headers().lastHeader(name).value());
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public void fallSilent() {
        broker.freeze();
    }

    @Override
    public void answerAgain() {
        broker.thaw();
    }

    @Override
    public void goAway() {
        broker.kill();
    }

    @Override
    public void comeBack() {
        broker.restart();
    }

    @Override
    public void close() {
        admin.close();
        if (second != null) {
            second.close();
        }
    }
}
