package org.pgbaton.kafka;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.jspecify.annotations.Nullable;
import org.pgbaton.kafka.client.Clients;
import org.pgbaton.kafka.client.Records;
import org.pgbaton.kafka.client.Settings;
import org.pgbaton.kafka.client.TopicNames;
import org.pgbaton.log.Message;
import org.pgbaton.publishing.CloudEventAttributes;
import org.pgbaton.subscription.Delivery;
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
 * attempt: consumers recognise what comes twice), {@code baton-position}, {@code baton-epoch}, {@code baton-attempt}, and {@code
 * baton-type} if it has one.
 *
 * <p>Order: the relay sends a message when the one before it of the same key is confirmed. If one is not confirmed in time, Kafka may
 * have got it all the same, and gets it again. The producer then goes on under a higher epoch, and Kafka refuses what may still be under way
 * under the old one: so of one process nothing overtakes. After a change of owner, or if the producer had to be replaced, a message
 * that was in flight can still arrive a second time, after its followers.
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
        PendingRecord pending = new PendingRecord(message.toString(), records.of(message, delivery), System.nanoTime());
        sender.accept(pending);
        return pending.published;
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
                                    Map.of(ProducerConfig.LINGER_MS_CONFIG, 0))),
                            topic != null,
                            Duration.ofMillis(patience),
                            Clients.thread(Clients.newId("baton-kafka"))));
        }
    }
}
