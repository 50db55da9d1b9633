package org.pgbaton.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Producer;

/**
 * Remembers topics that do not exist. A producer waits for such a topic as long as it may, and with it would all other messages of the
 * group, at every attempt; so it does that once, and from then on the question is asked, which is answered at once.
 *
 * <p>Thread-safe.
 */
final class Topics {
    private final Supplier<Admin> admin;
    private final Duration patience;
    private final Set<String> missing = ConcurrentHashMap.newKeySet();

    Topics(Supplier<Admin> admin, Duration patience) {
        this.admin = admin;
        this.patience = patience;
    }

    /** Returns when the producer knows the topic, and throws what Kafka says if it does not. */
    void require(String topic, Producer<byte[], byte[]> producer) {
        if (missing.contains(topic)) {
            throwIfStillMissing(topic);
            missing.remove(topic);
        }
        try {
            producer.partitionsFor(topic);
        } catch (RuntimeException refused) {
            if (Troubles.isUnknownTopic(refused)) {
                missing.add(topic);
            }
            throw refused;
        }
    }

    private void throwIfStillMissing(String topic) {
        try {
            admin.get().describeTopics(List.of(topic)).allTopicNames().get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException refused) {
            if (Troubles.isUnknownTopic(refused) && refused.getCause() instanceof RuntimeException unknown) {
                throw unknown;
            }
        } catch (TimeoutException noAnswer) {
            // Then the producer will not get one either, and say so.
        } catch (InterruptedException inAHurry) {
            Thread.currentThread().interrupt();
        }
    }
}
