package org.pgbaton.bench.outbox;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.utils.AppInfoParser;
import org.pgbaton.kafka.broker.BrokerProcess;

/** One broker for all contestants, in a JVM of its own. */
final class Kafka implements AutoCloseable {
    static final int PARTITIONS = 6;

    private final BrokerProcess broker =
            BrokerProcess.start(Map.of("log.segment.delete.delay.ms", "1000"), List.of("-XX:+UseSerialGC", "-Xmx768m"));

    static String version() {
        return AppInfoParser.getVersion();
    }

    String servers() {
        return broker.bootstrapServers();
    }

    String newTopic() {
        return broker.topics().create(PARTITIONS);
    }

    void drop(String topic) {
        try (Admin admin = broker.topics().admin()) {
            admin.deleteTopics(List.of(topic)).all().get();
        } catch (ExecutionException | InterruptedException failed) {
            throw new IllegalStateException("topic " + topic + " could not be deleted", failed);
        }
    }

    @Override
    public void close() {
        broker.close();
    }
}
