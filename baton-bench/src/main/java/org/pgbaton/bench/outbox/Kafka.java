package org.pgbaton.bench.outbox;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.utils.AppInfoParser;
import org.pgbaton.bench.arena.CpuTime;
import org.pgbaton.kafka.broker.BrokerProcess;

/** One broker for all contestants, in a JVM of its own. */
final class Kafka implements AutoCloseable {
    static final int PARTITIONS = 6;

    private static final Map<String, String> SETTINGS = Map.of("log.segment.delete.delay.ms", "1000");
    private static final List<String> FLAGS = List.of("-XX:+UseSerialGC", "-Xmx768m");

    private final BrokerProcess broker;
    private final String servers;

    private Kafka(BrokerProcess broker, String servers) {
        this.broker = broker;
        this.servers = servers;
    }

    static Kafka start() {
        BrokerProcess broker = BrokerProcess.start(SETTINGS, FLAGS);
        return new Kafka(broker, broker.bootstrapServers());
    }

    /** Contestants talk to it through this proxy, the consumer does not. */
    static Kafka behind(SlowAnswers proxy) {
        BrokerProcess broker = BrokerProcess.startBehind(proxy.port(), SETTINGS, FLAGS);
        proxy.leadTo(broker.bootstrapServers());
        return new Kafka(broker, proxy.servers());
    }

    static String version() {
        return AppInfoParser.getVersion();
    }

    /** For contestants. */
    String servers() {
        return servers;
    }

    /** For the consumer. */
    String direct() {
        return broker.insideServers();
    }

    /** CPU time that the broker has used so far, in nanoseconds. */
    long cpu() {
        return CpuTime.ofProcess(broker.pid());
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
