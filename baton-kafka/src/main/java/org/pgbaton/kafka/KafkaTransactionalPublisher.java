package org.pgbaton.kafka;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.kafka.client.Clients;
import org.pgbaton.kafka.client.Deadline;
import org.pgbaton.kafka.client.KafkaVerdicts;
import org.pgbaton.kafka.client.Records;
import org.pgbaton.kafka.client.Settings;
import org.pgbaton.kafka.client.TopicNames;
import org.pgbaton.kafka.transaction.KafkaFeed;
import org.pgbaton.kafka.transaction.ProgressTopic;
import org.pgbaton.kafka.transaction.Topics;
import org.pgbaton.publishing.CloudEventAttributes;
import org.pgbaton.subscription.Feed;
import org.pgbaton.subscription.HandlerException;
import org.pgbaton.subscription.TransactionalPublisher;
import org.pgbaton.subscription.Verdict;

/**
 * Publishes to Kafka, exactly once for consumers with {@code isolation.level=read_committed}.
 *
 * <pre>{@code
 * KafkaTransactionalPublisher kafka = KafkaTransactionalPublisher.to("kafka-1:9092,kafka-2:9092").build();
 * Subscription relay = baton.subscription("orders-out").on("outbox").publish(kafka).start();
 * }</pre>
 *
 * <p>Protocol: each group has a transactional producer, whose transactional id is its progress topic's name and its number. Messages and
 * the relay's progress, which is a record in the group's partition of the compacted topic {@code <prefix>.progress.<subscription>}, are
 * committed in one transaction. Taking over: 1. {@code initTransactions}: whoever had the id before cannot commit any more, and what
 * it left open is aborted; 2. find the end of the partition; 3. read it to that end. Nothing is sent before that, so consumers see each
 * key's messages in order across owners.
 *
 * <p>What arrives, and what failures mean, is as with {@link KafkaPublisher}. Thread-safe.
 */
public final class KafkaTransactionalPublisher implements TransactionalPublisher {
    /**
     * In bytes. Kafka's own 16 KiB cut a transaction into many small requests: with eight times that, one process publishes about 1.4 times as
     * many messages, for 0.6 times the CPU time.
     */
    private static final int BATCH_SIZE = 128 * 1024;

    private final String target;
    private final Settings settings;
    private final Records records;
    private final int groups;
    private final String prefix;
    private final String database;
    private final Duration limit;
    private final ProgressTopic progress;
    private final Topics topics;
    private final ScheduledThreadPoolExecutor clock;
    private final ScheduledThreadPoolExecutor asking;

    // Guarded by this.
    private @Nullable Admin admin;
    private boolean closed;

    private KafkaTransactionalPublisher(Builder options) {
        this.settings = Settings.of(options.servers, options.own);
        this.target = "Kafka at " + options.servers + (options.topic == null ? "" : ", topic " + options.topic)
                + names(options);
        this.records = new Records(options.topic, options.prefix, settings.largestRequest(), options.cloudEvents);
        this.groups = options.groups;
        this.prefix = options.prefix;
        this.database = options.database;
        this.limit = options.timeout;
        this.progress = new ProgressTopic(groups);
        this.clock = Clients.thread(Clients.newId(prefix + "-kafka-clock"));
        this.clock.setRemoveOnCancelPolicy(true);
        this.asking = Clients.thread(Clients.newId(prefix + "-kafka-topics"));
        this.topics = new Topics(this::admin, KafkaFeed.slice(limit), asking);
    }

    /**
     * A process that gives the same relay another database name has other transactional ids, so Kafka would not fence it. Baton compares targets
     * before a relay starts, and refuses it.
     */
    private static String names(Builder options) {
        return options.database.isEmpty()
                ? ""
                : ", prefix " + options.prefix + ", database " + options.database.replace(".", "");
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
    public int groups() {
        return groups;
    }

    @Override
    public Feed open(String subscription, int group) {
        if (group < 0 || group >= groups) {
            throw new IllegalArgumentException("There is no group " + group + ": there are " + groups + ", from 0.");
        }
        Deadline deadline = Deadline.in(limit);
        String topic = TopicNames.progress(prefix, database + subscription);
        String name = "group " + group + " of '" + subscription + "' at " + target;
        try {
            progress.ensure(admin(), topic, deadline);
            return open(name, new TopicPartition(topic, group), deadline);
        } catch (KafkaException refused) {
            throw KafkaVerdicts.notOpened(name + " could not be taken over", refused);
        } catch (LinkageError missing) {
            throw Clients.unusable(missing);
        }
    }

    private Feed open(String name, TopicPartition partition, Deadline deadline) {
        String id = partition.toString();
        Producer<byte[], byte[]> producer = Clients.producer(producerSettings(id));
        boolean taken = false;
        try {
            takeOver(producer, deadline);
            Map<String, String> marks =
                    progress.read(admin(), new KafkaConsumer<>(consumerSettings(id)), partition, deadline);
            Feed feed = new KafkaFeed(
                    name,
                    producer,
                    partition,
                    marks,
                    records,
                    topics,
                    settings.own(ProducerConfig.PARTITIONER_CLASS_CONFIG) != null,
                    clock,
                    limit);
            taken = true;
            return feed;
        } finally {
            if (!taken) {
                Clients.close(producer, Duration.ZERO);
            }
        }
    }

    /** Tries again as long as there is time: if a process died in the middle of a transaction, Kafka has to end that first. */
    private static void takeOver(Producer<byte[], byte[]> producer, Deadline deadline) {
        while (true) {
            try {
                producer.initTransactions();
                return;
            } catch (TimeoutException noAnswer) {
                if (deadline.isPast()) {
                    throw noAnswer;
                }
            }
        }
    }

    private Map<String, Object> producerSettings(String id) {
        long slice = KafkaFeed.slice(limit).toMillis();
        Map<String, Object> ours = new LinkedHashMap<>();
        ours.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, id);
        ours.put(ProducerConfig.CLIENT_ID_CONFIG, clientId(id));
        ours.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, slice);
        ours.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) slice);
        ours.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, (int) (slice * 5 / 2));
        // This matters only if nobody takes over from a process that died. Until this time is over, its open
        // transaction hides what is behind it.
        ours.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, (int)
                limit.plusSeconds(15).toMillis());
        // The commit sends at once whatever is left. So waiting costs nothing, and batches are larger.
        return settings.producer(
                ours, Map.of(ProducerConfig.LINGER_MS_CONFIG, 20, ProducerConfig.BATCH_SIZE_CONFIG, BATCH_SIZE));
    }

    private Map<String, Object> consumerSettings(String id) {
        Map<String, Object> ours = new LinkedHashMap<>();
        ours.put(ConsumerConfig.CLIENT_ID_CONFIG, clientId(id));
        ours.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        ours.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        ours.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        ours.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 10_000);
        return settings.consumer(ours);
    }

    private String clientId(String id) {
        Object own = settings.own(CommonClientConfigs.CLIENT_ID_CONFIG);
        return Clients.newId(own == null ? id : own + "-" + id);
    }

    private synchronized Admin admin() {
        if (closed) {
            throw new HandlerException(Verdict.OUTAGE, "The publisher to " + target + " was closed.");
        }
        Admin current = admin;
        if (current == null) {
            current = Admin.create(settings.admin(Map.of(
                    AdminClientConfig.CLIENT_ID_CONFIG,
                    clientId(prefix + ".progress"),
                    AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                    (int) KafkaFeed.slice(limit).toMillis(),
                    AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                    (int) limit.toMillis())));
            admin = current;
        }
        return current;
    }

    @Override
    public synchronized void close() {
        closed = true;
        clock.shutdownNow();
        asking.shutdownNow();
        if (admin != null) {
            admin.close(Duration.ZERO);
            admin = null;
        }
    }

    @Override
    public String toString() {
        return "KafkaTransactionalPublisher to " + target;
    }

    /** Options, all with good defaults. Not thread-safe. */
    public static final class Builder {
        private static final Duration STANDARD_TIMEOUT = Duration.ofSeconds(24);

        private final String servers;
        private final Map<String, Object> own = new LinkedHashMap<>();
        private @Nullable String topic;
        private int groups = 4;
        private String prefix = TopicNames.PREFIX;
        private String database = "";
        private Duration timeout = STANDARD_TIMEOUT;
        private boolean unencrypted;
        private @Nullable CloudEventAttributes cloudEvents;

        private Builder(String servers) {
            this.servers = servers;
        }

        /**
         * A setting of Kafka's producer, such as {@code security.protocol}; what concerns the connection is also used for reading progress.
         * What would break a promise is refused.
         */
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

        /**
         * The number of groups into which lanes are divided, each with a producer. It has to stay the same as long as the relay exists. As many
         * processes can share the work; a writer's open transaction holds up its group; more groups make for more and smaller transactions. Default 4.
         */
        public Builder groups(int number) {
            if (number < 1 || number > 1024) {
                throw new IllegalArgumentException(number + " groups make no sense: give 1 to 1024 (default 4).");
            }
            this.groups = number;
            return this;
        }

        /**
         * The beginning of the names of the progress topic and of transactional ids. Databases that publish to the same Kafka need different
         * ones, or a {@link #database}; otherwise their relays of the same name fence each other. Default {@code baton}.
         */
        public Builder prefix(String start) {
            if (!start.matches("[a-zA-Z0-9._-]{1,100}")) {
                throw new IllegalArgumentException("'" + start
                        + "' cannot be a prefix: give 1 to 100 letters, digits, '.', '_' and '-' (default baton).");
            }
            this.prefix = start;
            return this;
        }

        /**
         * The name of the database that publishes, if several with the same prefix publish to the same Kafka. It becomes a part of the names of
         * the progress topic and of transactional ids, so it has to stay the same as long as the relay exists. Default: none.
         */
        public Builder database(String name) {
            if (!name.matches("[a-zA-Z0-9_-]{1,40}")) {
                throw new IllegalArgumentException("'" + name
                        + "' cannot name a database: give 1 to 40 letters, digits, '_' and '-' (default none).");
            }
            this.database = name + ".";
            return this;
        }

        /** For one transaction, and for taking over. Keep it below the subscription's handler limit. Default 24 s. */
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
        public KafkaTransactionalPublisher build() {
            Settings.checkEncryption(servers, own, unencrypted);
            return new KafkaTransactionalPublisher(this);
        }
    }
}
