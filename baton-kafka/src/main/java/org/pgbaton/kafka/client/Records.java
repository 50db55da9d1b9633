package org.pgbaton.kafka.client;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.publishing.CloudEventAttributes;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Verdict;

/**
 * Makes Kafka's record of a message: the payload unchanged, its key, its own headers and Baton's. Thread-safe.
 *
 * <p>The record's time is that of sending. With the message's own time, a log that is read from its origin would be too old for the
 * topic's retention when it arrives.
 */
public final class Records {
    /** A header that all messages have, and nothing else has. */
    public static final String ID = "baton-id";

    /** Belongs to the brokers and, by custom, to services around them: {@code _schemas} for example. */
    private static final String UNDERSCORE = "_";

    private final @Nullable String fixedTopic;
    private final String ourTopics;
    private final int largest;
    private final @Nullable CloudEventAttributes cloudEvents;

    /** The last topic that was checked: most messages have the same. */
    private volatile @Nullable String knownTopic;

    /**
     * @param fixedTopic for all messages, in place of their own
     * @param prefix of the relay's own names in Kafka
     * @param largest a record that is certainly larger is refused here
     * @param cloudEvents null if records are not to be CloudEvents
     */
    public Records(
            @Nullable String fixedTopic, String prefix, int largest, @Nullable CloudEventAttributes cloudEvents) {
        this.fixedTopic = fixedTopic;
        this.ourTopics = TopicNames.progress(prefix, "");
        this.largest = largest;
        this.cloudEvents = cloudEvents;
    }

    /** Topics that Kafka, its tools or a relay use for themselves. A message there could do damage. */
    private boolean isReserved(String topic) {
        return topic.startsWith(UNDERSCORE)
                || topic.startsWith(ourTopics)
                || topic.startsWith(TopicNames.progress(TopicNames.PREFIX, ""));
    }

    /** Whether all messages go to one topic, so that its trouble concerns all of them. */
    public boolean haveOneTopic() {
        return fixedTopic != null;
    }

    /** @throws HandlerException if Kafka will never take it */
    public ProducerRecord<byte[], byte[]> of(Message message, Delivery delivery) {
        String topic = topic(message);
        // A message without a key has its id as key: any partition will do.
        String id = message.id().toString();
        byte[] key = message.key().equals(id) ? null : bytes(message.key());
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, null, key, message.payload());
        long size = (long) message.payload().length + (key == null ? 0 : key.length);
        for (Map.Entry<String, String> header : headers(message, id, delivery).entrySet()) {
            byte[] value = bytes(header.getValue());
            record.headers().add(header.getKey(), value);
            size += value.length + bytes(header.getKey()).length;
        }
        if (size > largest) {
            throw new HandlerException(
                    Verdict.PARK,
                    message + " is too large for Kafka: it has at least " + size + " bytes, and max.request.size is "
                            + largest + ".");
        }
        return record;
    }

    /** @throws HandlerException if Kafka does not know such topics */
    public String topic(Message message) {
        String topic = fixedTopic != null ? fixedTopic : message.topic();
        if (topic == null) {
            throw new HandlerException(
                    Verdict.PARK,
                    message + " has no topic: write it with one, or give the publisher a topic for all messages.");
        }
        if (!topic.equals(knownTopic) && !TopicNames.isAllowed(topic)) {
            throw new HandlerException(
                    Verdict.PARK,
                    message + " has the topic '" + topic
                            + "', which Kafka does not allow: 1 to 249 letters, digits, '.', '_' and '-'.");
        }
        if (fixedTopic == null && !topic.equals(knownTopic) && isReserved(topic)) {
            throw new HandlerException(
                    Verdict.PARK,
                    message + " has the topic '" + topic
                            + "', which messages may not choose: what begins with '_' is Kafka's own and its tools', and progress topics "
                            + "are Baton's.");
        }
        knownTopic = topic;
        return topic;
    }

    /** Where Kafka's own partitioner puts it; null if any partition will do. */
    public static @Nullable TopicPartition partition(ProducerRecord<byte[], byte[]> record, int partitions) {
        byte[] key = record.key();
        return key == null || partitions < 1
                ? null
                : new TopicPartition(record.topic(), Utils.toPositive(Utils.murmur2(key)) % partitions);
    }

    private Map<String, String> headers(Message message, String id, Delivery delivery) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("content-type", message.isJson() ? "application/json" : "application/octet-stream");
        message.headerMap().forEach((name, value) -> {
            if (!name.startsWith("baton-") && (cloudEvents == null || !cloudEvents.isReserved(name))) {
                headers.put(name, value);
            }
        });
        headers.put(ID, id);
        headers.put("baton-position", Long.toString(message.position()));
        headers.put("baton-epoch", Long.toString(delivery.epoch()));
        headers.put("baton-attempt", Integer.toString(delivery.attempt()));
        String type = message.type();
        if (type != null) {
            headers.put("baton-type", type);
        }
        if (cloudEvents != null) {
            cloudEvents.forEach(message, headers::put);
        }
        return headers;
    }

    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
