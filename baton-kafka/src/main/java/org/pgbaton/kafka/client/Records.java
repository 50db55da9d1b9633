package org.pgbaton.kafka.client;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
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

    /** More than Kafka's format takes for a record, and for a header, beside their contents. */
    private static final int OVERHEAD = 40;

    private static final int HEADER_OVERHEAD = 10;

    private static final String CONTENT_TYPE = "content-type";
    private static final Header JSON = header(CONTENT_TYPE, "application/json");
    private static final Header OCTETS = header(CONTENT_TYPE, "application/octet-stream");
    /** Types are few; if they are not, the later ones are made anew each time. */
    private static final int MOST_TYPES = 1000;

    private final @Nullable String fixedTopic;
    private final String ourTopics;
    private final int largest;
    private final @Nullable CloudEventAttributes cloudEvents;

    /** The last topic that was checked: most messages have the same. */
    private volatile @Nullable String knownTopic;

    private volatile @Nullable Epoch knownEpoch;
    private final Map<String, Header> types = new ConcurrentHashMap<>();

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
        List<Header> headers = headers(message, id, delivery);
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(topic, null, null, key, message.payload(), headers);
        int size = sizeInBatch(record) - OVERHEAD - headers.size() * HEADER_OVERHEAD;
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

    /** At most so many bytes it takes in an uncompressed batch. */
    public static int sizeInBatch(ProducerRecord<byte[], byte[]> record) {
        int size = OVERHEAD
                + (record.key() == null ? 0 : record.key().length)
                + (record.value() == null ? 0 : record.value().length);
        for (Header header : record.headers()) {
            size += HEADER_OVERHEAD
                    + Utils.utf8Length(header.key())
                    + (header.value() == null ? 0 : header.value().length);
        }
        return size;
    }

    private List<Header> headers(Message message, String id, Delivery delivery) {
        Map<String, String> theirs = message.headerMap();
        List<Header> headers = new ArrayList<>(6 + theirs.size());
        if (!theirs.containsKey(CONTENT_TYPE)) {
            headers.add(message.isJson() ? JSON : OCTETS);
        }
        theirs.forEach((name, value) -> {
            if (!name.startsWith("baton-") && (cloudEvents == null || !cloudEvents.isReserved(name))) {
                headers.add(header(name, value));
            }
        });
        headers.add(header(ID, id));
        headers.add(header("baton-position", Long.toString(message.position())));
        headers.add(epoch(delivery.epoch()));
        if (delivery.attempt() > 1) {
            headers.add(header("baton-attempt", Integer.toString(delivery.attempt())));
        }
        String type = message.type();
        if (type != null) {
            headers.add(type(type));
        }
        if (cloudEvents != null) {
            cloudEvents.forEach(message, (name, value) -> headers.add(header(name, value)));
        }
        return headers;
    }

    /** Most messages have the epoch of the one before. */
    private Header epoch(long epoch) {
        Epoch known = knownEpoch;
        if (known == null || known.number != epoch) {
            known = new Epoch(epoch, header("baton-epoch", Long.toString(epoch)));
            knownEpoch = known;
        }
        return known.header;
    }

    private Header type(String type) {
        Header known = types.get(type);
        if (known == null) {
            known = header("baton-type", type);
            if (types.size() < MOST_TYPES) {
                types.put(type, known);
            }
        }
        return known;
    }

    private static Header header(String name, String value) {
        return new RecordHeader(name, bytes(value));
    }

    private record Epoch(long number, Header header) {}

    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
