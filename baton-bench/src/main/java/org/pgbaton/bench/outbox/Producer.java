package org.pgbaton.bench.outbox;

import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.pgbaton.bench.arena.Options;

/** The producer for contestants that have none of their own: idempotent, {@code acks=all}, Kafka's defaults. */
final class Producer implements BiFunction<String, String, Future<?>> {
    /** Options that begin so are settings of the producer. */
    static final String SETTING = "kafka.";

    private final KafkaProducer<String, String> producer;
    private final String topic;

    /** @param options {@code servers}, {@code topic}, and settings that begin with {@code kafka.} */
    Producer(Map<String, String> options) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", Options.of(options, "servers"));
        settings.put("acks", "all");
        settings.put("enable.idempotence", "true");
        options.forEach((name, value) -> {
            if (name.startsWith(SETTING)) {
                settings.put(name.substring(SETTING.length()), value);
            }
        });
        this.producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
        this.topic = Options.of(options, "topic");
    }

    @Override
    public Future<?> apply(String key, String payload) {
        return producer.send(new ProducerRecord<>(topic, key, payload));
    }
}
