package org.pgbaton.chaos.targets;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.pgbaton.chaos.worker.Part;
import org.pgbaton.kafka.broker.BrokerProcess;

/** A topic of its own on a broker that rounds share. */
final class KafkaTarget implements Target {
    private static final int PARTITIONS = 4;

    private final BrokerProcess broker;
    private final Part part;
    private final String topic;
    private final Admin admin;

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
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        for (int i = 0; i < PARTITIONS; i++) {
            ends.put(new TopicPartition(topic, i), OffsetSpec.latest());
        }
        return admin.listOffsets(ends).all().get().values().stream()
                .mapToLong(end -> end.offset())
                .sum();
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
    }
}
