package org.pgbaton.kafka.client;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.utils.AppInfoParser;
import org.jspecify.annotations.Nullable;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/** Kafka's clients: how they are opened and closed here. */
public final class Clients {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private Clients() {}

    /** @throws HandlerException if the client on the class path is none that Baton can use */
    public static Producer<byte[], byte[]> producer(Map<String, Object> settings) {
        try {
            return new KafkaProducer<>(settings);
        } catch (LinkageError missing) {
            throw unusable(missing);
        }
    }

    /** A class or method that Baton calls is missing. Waiting does not help; another jar does. */
    public static HandlerException unusable(LinkageError missing) {
        return new HandlerException(
                Verdict.STOP,
                "Kafka's client on the class path (kafka-clients " + AppInfoParser.getVersion()
                        + ") lacks something that Baton needs (" + missing
                        + "): use kafka-clients 3.9 or later, with the jars it "
                        + "depends on.",
                missing);
    }

    /** Unique in this JVM, as Kafka's metrics require. */
    public static String newId(String start) {
        return start + "-" + NUMBER.incrementAndGet();
    }

    public static Map<String, Object> withId(Map<String, Object> settings, String id) {
        Map<String, Object> all = new LinkedHashMap<>(settings);
        all.put(CommonClientConfigs.CLIENT_ID_CONFIG, id);
        return all;
    }

    /** Counts the batches that the producer has taken apart, because a broker found them too large; null if it does not count. */
    public static @Nullable Metric batchesTakenApart(Producer<byte[], byte[]> producer) {
        return producer.metrics().entrySet().stream()
                .filter(each -> each.getKey().name().equals("batch-split-total"))
                .map(each -> (Metric) each.getValue())
                .findFirst()
                .orElse(null);
    }

    /** Works on an interrupted thread, too, which stays interrupted. */
    public static void close(Producer<byte[], byte[]> producer, Duration atMost) {
        boolean interrupted = Thread.interrupted();
        try {
            producer.close(atMost);
        } catch (KafkaException halfClosed) {
            // Nothing can be done about it, and its connections are gone.
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A thread that does not keep the JVM alive. */
    public static ScheduledThreadPoolExecutor thread(String name) {
        return new ScheduledThreadPoolExecutor(1, work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            return thread;
        });
    }
}
