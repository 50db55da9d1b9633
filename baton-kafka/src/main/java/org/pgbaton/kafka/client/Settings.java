package org.pgbaton.kafka.client;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.security.JaasContext;
import org.jspecify.annotations.Nullable;
import org.pgbaton.subscription.UnencryptedLogin;

/**
 * The settings for Kafka's clients: the user's, without any that would break a promise, and ours. Immutable. They are never shown,
 * because there are secrets among them.
 */
public final class Settings {
    private static final Pattern ADDRESS = Pattern.compile("\\S+:\\d{1,5}");
    private static final long LONGEST_LINGER = 100;
    /** Clients of 3.9 have no constant for it. */
    private static final String TWO_PHASE_COMMIT = "transaction.two.phase.commit.enable";

    private static final String BYTES = "org.apache.kafka.common.serialization.ByteArray";

    private final String servers;
    private final Map<String, Object> own;
    private final int largestRequest;

    private Settings(String servers, Map<String, Object> own, int largestRequest) {
        this.servers = servers;
        this.own = own;
        this.largestRequest = largestRequest;
    }

    /** @throws IllegalArgumentException if Kafka does not know such a value, or it would break a promise of Baton */
    public static Settings of(String servers, Map<String, Object> own) {
        own.forEach(Settings::check);
        Map<String, Object> all = new LinkedHashMap<>(own);
        all.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, servers);
        all.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, BYTES + "Serializer");
        all.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, BYTES + "Serializer");
        try {
            Map<String, Object> parsed = ProducerConfig.configDef().parse(all);
            if ((Long) Objects.requireNonNull(parsed.get(ProducerConfig.LINGER_MS_CONFIG), "linger.ms")
                    > LONGEST_LINGER) {
                refuse(ProducerConfig.LINGER_MS_CONFIG, "give at most " + LONGEST_LINGER + " ms");
            }
            int largest = (Integer)
                    Objects.requireNonNull(parsed.get(ProducerConfig.MAX_REQUEST_SIZE_CONFIG), "max.request.size");
            checkLogin(parsed);
            return new Settings(servers, Map.copyOf(own), largest);
        } catch (ConfigException theirs) {
            throw new IllegalArgumentException("Kafka's producer refuses its settings: " + theirs.getMessage());
        }
    }

    /** Checked here because Kafka would fail later and print the word at fault: if a password was not quoted well, a part of it. */
    private static void checkLogin(Map<String, Object> parsed) {
        try {
            if (parsed.get(SaslConfigs.SASL_JAAS_CONFIG) != null) {
                JaasContext.loadClientContext(parsed);
            }
        } catch (RuntimeException notShown) {
            refuse(
                    SaslConfigs.SASL_JAAS_CONFIG,
                    "Kafka does not understand it; check the quotes, and that it ends with a semicolon");
        }
    }

    /** Looks at the hosts that the user gave, not at brokers that these name later. */
    public static void checkEncryption(String servers, Map<String, Object> own, boolean unencryptedAllowed) {
        Object protocol = own.get(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG);
        if (!unencryptedAllowed
                && protocol != null
                && protocol.toString().strip().equalsIgnoreCase("SASL_PLAINTEXT")) {
            UnencryptedLogin.refuse(
                    "Kafka at " + servers,
                    Arrays.stream(servers.split(","))
                            .map(String::strip)
                            .map(each -> each.substring(
                                    each.indexOf("://") < 0 ? 0 : each.indexOf("://") + 3, each.lastIndexOf(':')))
                            .toList(),
                    "give security.protocol=SASL_SSL");
        }
    }

    public static String checkedServers(String servers) {
        if (!Arrays.stream(servers.split(",", -1)).map(String::strip).allMatch(ADDRESS.asMatchPredicate())) {
            throw new IllegalArgumentException("'" + servers
                    + "' is no list of Kafka's servers: give host:port, several of them separated by commas.");
        }
        return servers;
    }

    public static Duration checkedTimeout(Duration timeout, Duration standard) {
        if (timeout.compareTo(Duration.ofSeconds(2)) < 0 || timeout.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException("A time-out of " + timeout
                    + " makes no sense: give 2 s to 1 hour (default " + standard.toSeconds() + " s).");
        }
        return timeout;
    }

    private static void check(String name, Object value) {
        String text = value.toString().strip().toLowerCase(Locale.ROOT);
        switch (name) {
            case ProducerConfig.BOOTSTRAP_SERVERS_CONFIG ->
                refuse(name, "the servers are what the publisher was made with");
            case ProducerConfig.ACKS_CONFIG ->
                refuseUnless(
                        Set.of("all", "-1")::contains,
                        name,
                        text,
                        "a message would count as published before it is safe");
            case ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG ->
                refuseUnless("true"::equals, name, text, "messages of a key could change their order");
            case ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION ->
                refuseUnless(
                        number -> number.matches("[1-5]"), name, text, "messages of a key could change their order");
            case ProducerConfig.RETRIES_CONFIG ->
                refuseUnless(
                        number -> number.matches("[1-9]\\d*"),
                        name,
                        text,
                        "messages of a key could change their order");
            case ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG ->
                refuseUnless("false"::equals, name, text, "messages of a key would not stay in one partition");
            case ProducerConfig.PARTITIONER_CLASS_CONFIG ->
                refuseUnless(
                        partitioner -> !partitioner.contains(
                                RoundRobinPartitioner.class.getSimpleName().toLowerCase(Locale.ROOT)),
                        name,
                        text,
                        "messages of a key would not stay in one partition");
            case ProducerConfig.TRANSACTIONAL_ID_CONFIG, TWO_PHASE_COMMIT ->
                refuse(name, "transactions are KafkaTransactionalPublisher's business");
            case ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG ->
                refuse(name, "messages are published as the bytes that were written");
            case ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                    ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                    ProducerConfig.MAX_BLOCK_MS_CONFIG,
                    ProducerConfig.TRANSACTION_TIMEOUT_CONFIG -> refuse(name, "say timeout(...) instead");
            default -> {
                // The user may choose.
            }
        }
    }

    private static void refuseUnless(Predicate<String> fine, String name, String text, String why) {
        if (!fine.test(text)) {
            refuse(name + "=" + text, why);
        }
    }

    private static void refuse(String what, String why) {
        throw new IllegalArgumentException("The setting " + what + " cannot be used: " + why + ".");
    }

    public String servers() {
        return servers;
    }

    public @Nullable Object own(String name) {
        return own.get(name);
    }

    /** No record can be larger. */
    public int largestRequest() {
        return largestRequest;
    }

    /** Bytes of a batch, if the user says nothing else. */
    public int batchSize(int standard) {
        Object theirs = own.get(ProducerConfig.BATCH_SIZE_CONFIG);
        return theirs == null ? standard : Integer.parseInt(theirs.toString().strip());
    }

    /**
     * @param ours override the user's
     * @param standards are overridden by the user's
     */
    public Map<String, Object> producer(Map<String, Object> ours, Map<String, Object> standards) {
        Map<String, Object> all = new LinkedHashMap<>(standards);
        all.putAll(own);
        all.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, servers);
        all.put(ProducerConfig.ACKS_CONFIG, "all");
        all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        all.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, BYTES + "Serializer");
        all.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, BYTES + "Serializer");
        all.putAll(ours);
        return all;
    }

    public Map<String, Object> admin(Map<String, Object> ours) {
        Map<String, Object> all = forOthers(AdminClientConfig.configNames());
        all.putAll(ours);
        return all;
    }

    public Map<String, Object> consumer(Map<String, Object> ours) {
        Map<String, Object> all = forOthers(ConsumerConfig.configNames());
        all.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, BYTES + "Deserializer");
        all.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, BYTES + "Deserializer");
        all.putAll(ours);
        return all;
    }

    /** Settings that are not only for producers: how to connect, who we are, and any that Kafka does not know. */
    private Map<String, Object> forOthers(Set<String> theirNames) {
        Map<String, Object> all = new LinkedHashMap<>();
        own.forEach((name, value) -> {
            if (theirNames.contains(name) || !ProducerConfig.configNames().contains(name)) {
                all.put(name, value);
            }
        });
        all.remove(ProducerConfig.INTERCEPTOR_CLASSES_CONFIG);
        all.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, servers);
        return all;
    }

    @Override
    public String toString() {
        return "settings for " + servers;
    }
}
