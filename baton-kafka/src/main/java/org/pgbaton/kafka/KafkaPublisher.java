package org.pgbaton.kafka;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.pgbaton.kafka.client.Clients;
import org.pgbaton.kafka.client.Records;
import org.pgbaton.kafka.client.Settings;
import org.pgbaton.kafka.client.TopicNames;
import org.pgbaton.log.Message;
import org.pgbaton.publishing.CloudEventAttributes;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.Publisher;

/**
 * Publishes to Kafka, at least once. A message counts as published when all replicas that are in sync have it. For exactly once: {@link
 * KafkaTransactionalPublisher}.
 *
 * <pre>{@code
 * KafkaPublisher kafka = KafkaPublisher.to("kafka-1:9092,kafka-2:9092").build();
 * Subscription relay = baton.subscription("orders-out").on("outbox").publish(kafka).start();
 * }</pre>
 *
 * <p>What arrives: in the message's topic, the payload as it was written; the message's key as the record's, so that a key stays in one
 * partition, and none if it was written without; the message's own headers, {@code content-type}, {@code baton-id} (the same at every
 * attempt: consumers recognise what comes twice), {@code baton-position}, {@code baton-epoch}, {@code baton-attempt} from the
 * second attempt on, and {@code baton-type} if it has one.
 *
 * <p>Order: each partition has one batch on its way, which Kafka takes or refuses as a whole, and the next one is sent when it is confirmed.
 * So of a key nothing arrives without what comes before it. If a batch is not confirmed in time, Kafka may have got it all the same, and
 * gets it again. The producer then goes on under a higher epoch, and Kafka refuses what may still be under way under the old one: so of one
 * process nothing overtakes. After a change of owner, or if the producer had to be replaced, messages that were in flight can still
 * arrive a second time, after their followers.
 *
 * <p>What failures mean: Kafka away, too few replicas in sync, or refusing the user: an outage. A message too large, invalid, or
 * without a topic that Kafka allows: parked. An unknown topic, or one that may not be written to: tried again, and parked after some
 * attempts; if all messages go to one topic, an outage.
 *
 * <p>It connects when there is something to send. Thread-safe; {@link #publish} never waits for Kafka. What depends on the stage that it
 * returns runs on the producer's thread, and should be quick.
 */
public final class KafkaPublisher implements Publisher {
    private final String target;
    private final Records records;
    private final RecordSender sender;

    private KafkaPublisher(String target, Records records, RecordSender sender) {
        this.target = target;
        this.records = records;
        this.sender = sender;
    }

    /**
     * Begins to describe a publisher.
     *
     * @param servers {@code host:port}, several separated by commas
     */
    public static Builder to(String servers) {
        return new Builder(Settings.checkedServers(servers));
    }

    @Override
    public String target() {
        return target;
    }

    @Override
    public CompletionStage<?> publish(Message message, Delivery delivery) {
        return publishInOrder(List.of(message), delivery);
    }

    @Override
    public boolean keepsOrder() {
        return true;
    }

    @Override
    public CompletionStage<?> publishInOrder(List<Message> messages, Delivery delivery) {
        ProducerRecord<byte[], byte[]> first = records.of(messages.get(0), delivery);
        MessageGroup group = new MessageGroup(first.topic(), delivery, System.nanoTime());
        group.add(messages.get(0), first);
        int at = 1;
        HandlerException refused = null;
        while (at < messages.size() && refused == null) {
            try {
                ProducerRecord<byte[], byte[]> next = records.of(messages.get(at), delivery);
                if (!next.topic().equals(group.topic)) {
                    break;
                }
                group.add(messages.get(at), next);
                at++;
            } catch (HandlerException neverTaken) {
                refused = neverTaken.about(messages.get(at));
            }
        }
        sender.accept(group);
        if (refused != null) {
            CompletionStage<?> failed = CompletableFuture.failedStage(refused);
            return group.published.thenCompose(nothing -> failed);
        }
        // What goes to another topic is sent when the messages before it are confirmed.
        List<Message> others = messages.subList(at, messages.size());
        return others.isEmpty()
                ? group.published
                : group.published.thenCompose(nothing -> publishTheOthers(others, delivery));
    }

    private CompletionStage<?> publishTheOthers(List<Message> messages, Delivery delivery) {
        try {
            return publishInOrder(messages, delivery);
        } catch (HandlerException neverTaken) {
            return CompletableFuture.failedStage(neverTaken.about(messages.get(0)));
        }
    }

    @Override
    public void close() {
        sender.close();
    }

    @Override
    public String toString() {
        return "KafkaPublisher to " + target;
    }

    /** Options, all with good defaults. Not thread-safe. */
    public static final class Builder {
        private static final Duration STANDARD_TIMEOUT = Duration.ofSeconds(20);
        /** In bytes. */
        private static final int BATCH_SIZE = 128 * 1024;
        /** In bytes: for 512 partitions at once. It is allocated as it is needed. */
        private static final long BUFFER = 512L * BATCH_SIZE;
        /** Kafka's client guesses how large a batch gets when it is compressed. So much of it is certainly one batch. */
        private static final double FULL = 0.5;

        private final String servers;
        private final Map<String, Object> own = new LinkedHashMap<>();
        private @Nullable String topic;
        private Duration timeout = STANDARD_TIMEOUT;
        private boolean unencrypted;
        private @Nullable CloudEventAttributes cloudEvents;

        private Builder(String servers) {
            this.servers = servers;
        }

        /** A setting of Kafka's producer, such as {@code security.protocol}. What would break a promise is refused. */
        public Builder property(String name, Object value) {
            own.put(name, Objects.requireNonNull(value, name));
            return this;
        }

        /** The same, for several. */
        public Builder properties(Map<String, ?> settings) {
            settings.forEach(this::property);
            return this;
        }

        /** The topic for all messages. Default: each message's own. */
        public Builder topic(String name) {
            this.topic = TopicNames.checked(name);
            return this;
        }

        /** A message that Kafka has not confirmed by then has failed. Keep it below the subscription's handler limit. Default 20 s. */
        public Builder timeout(Duration longest) {
            this.timeout = Settings.checkedTimeout(longest, STANDARD_TIMEOUT);
            return this;
        }

        /**
         * Whether the login may go to another machine unencrypted, by SASL_PLAINTEXT (default false: refused by {@link #build}). For
         * networks on which nobody else can listen.
         */
        public Builder allowUnencryptedLogin(boolean allowed) {
            this.unencrypted = allowed;
            return this;
        }

        /**
         * Makes every record a CloudEvent in binary mode: headers {@code ce_id}, {@code ce_source}, {@code ce_type} and so on, beside the others. Default: no.
         *
         * @param source where messages come from, a URI or a part of one: {@code /shop/orders}
         */
        public Builder cloudEvents(String source) {
            this.cloudEvents = CloudEventAttributes.of("ce_", source);
            return this;
        }

        /** Makes the publisher, which connects to nothing yet. */
        public KafkaPublisher build() {
            Settings.checkEncryption(servers, own, unencrypted);
            Settings settings = Settings.of(servers, own);
            Object id = own.get(ProducerConfig.CLIENT_ID_CONFIG);
            long patience = timeout.toMillis() / 4;
            long delivery = timeout.toMillis() - patience;
            Map<String, Object> ours = Map.of(
                    ProducerConfig.MAX_BLOCK_MS_CONFIG,
                    0L,
                    ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                    1,
                    ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                    (int) delivery,
                    ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                    (int) delivery / 2);
            Records records = new Records(topic, TopicNames.PREFIX, settings.largestRequest(), cloudEvents);
            return new KafkaPublisher(
                    "Kafka at " + servers + (topic == null ? "" : ", topic " + topic),
                    records,
                    new RecordSender(
                            "Kafka at " + servers,
                            () -> Clients.producer(settings.producer(
                                    Clients.withId(ours, id == null ? Clients.newId("baton") : id.toString()),
                                    Map.of(
                                            ProducerConfig.LINGER_MS_CONFIG,
                                            0,
                                            ProducerConfig.BATCH_SIZE_CONFIG,
                                            BATCH_SIZE,
                                            ProducerConfig.BUFFER_MEMORY_CONFIG,
                                            BUFFER))),
                            new RecordSender.Options(
                                    topic != null,
                                    own.containsKey(ProducerConfig.PARTITIONER_CLASS_CONFIG),
                                    (int) (settings.batchSize(BATCH_SIZE) * FULL),
                                    Duration.ofMillis(patience),
                                    timeout),
                            Clients.thread(Clients.newId("baton-kafka"))));
        }
    }
}
