package org.pgbaton.server.publisher;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.pgbaton.kafka.KafkaPublisher;
import org.pgbaton.kafka.KafkaTransactionalPublisher;
import org.pgbaton.server.config.HiddenTexts;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Scalar;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;

/** Kafka, in either of its modes. */
final class KafkaTargetKind implements TargetKind {
    private static final Key<String> BOOTSTRAP_SERVERS =
            Key.required("bootstrap-servers", Scalar.text(), "host:port of some brokers, separated by commas.");
    private static final Key<Boolean> EXACTLY_ONCE = Key.optional(
            "mode",
            Scalar.choice(modes()),
            "exactly-once",
            "exactly-once: seen once by consumers that read what is committed; at-least-once: without transactions.");
    private static final Key<String> TOPIC =
            Key.optional("topic", Scalar.text(), "One topic for all messages. Default: each message's own.");
    private static final Key<Integer> GROUPS = Key.optional(
            "groups",
            Scalar.whole(1, 1024),
            "4",
            "With exactly-once: in how many groups lanes are owned, each with a producer; as long as the relay exists.");
    private static final Key<String> PREFIX = Key.optional(
            "prefix",
            Scalar.text(),
            "baton",
            "With exactly-once: how the names of transactions and of the progress topic begin. Another one for each database; with "
                    + "'databases' their names are added to it.");
    private static final Key<Duration> TIMEOUT = Key.optional(
            "timeout",
            Scalar.time("2s", "1h"),
            "How long Kafka may take; keep it below 'handler-limit'. Default: 24s with exactly-once, else 20s.");
    private static final Key<Map<String, String>> PROPERTIES = Key.optional(
            "properties",
            HiddenTexts.byName(),
            "Settings of Kafka's producer, such as security.protocol. Values are shown nowhere.");

    private static final Section SECTION = Section.of(
                    "kafka",
                    BOOTSTRAP_SERVERS,
                    EXACTLY_ONCE,
                    TOPIC,
                    GROUPS,
                    PREFIX,
                    TIMEOUT,
                    PROPERTIES,
                    CLOUD_EVENTS,
                    ALLOW_UNENCRYPTED_LOGIN)
            .check(KafkaTargetKind::check);

    private static Map<String, Boolean> modes() {
        Map<String, Boolean> modes = new LinkedHashMap<>();
        modes.put("exactly-once", true);
        modes.put("at-least-once", false);
        return modes;
    }

    private static void check(Settings settings) {
        for (Key<?> key : new Key<?>[] {GROUPS, PREFIX}) {
            if (settings.has(key) && Boolean.FALSE.equals(settings.find(EXACTLY_ONCE))) {
                settings.problem(key, "'" + key + "' in kafka makes sense only with mode exactly-once: leave it out");
            }
        }
    }

    @Override
    public String name() {
        return "kafka";
    }

    @Override
    public String meaning() {
        return "Apache Kafka; each message goes to its topic, under its key.";
    }

    @Override
    public Section section() {
        return SECTION;
    }

    @Override
    public Outlet open(Settings settings) {
        return open(settings, "");
    }

    /** Two databases with the same transactional ids would fence each other, and read each other's progress. */
    @Override
    public Outlet open(Settings settings, String database) {
        return settings.get(EXACTLY_ONCE) ? exactlyOnce(settings, database) : atLeastOnce(settings);
    }

    private static Outlet exactlyOnce(Settings settings, String database) {
        KafkaTransactionalPublisher.Builder builder = KafkaTransactionalPublisher.to(settings.get(BOOTSTRAP_SERVERS))
                .groups(settings.get(GROUPS))
                .prefix(settings.get(PREFIX))
                .properties(properties(settings))
                .allowUnencryptedLogin(settings.get(ALLOW_UNENCRYPTED_LOGIN));
        if (!database.isEmpty()) {
            builder.database(database);
        }
        settings.ifPresent(TOPIC, builder::topic);
        settings.ifPresent(TIMEOUT, builder::timeout);
        settings.ifPresent(CLOUD_EVENTS, builder::cloudEvents);
        return Outlet.of(builder.build());
    }

    private static Outlet atLeastOnce(Settings settings) {
        KafkaPublisher.Builder builder = KafkaPublisher.to(settings.get(BOOTSTRAP_SERVERS))
                .properties(properties(settings))
                .allowUnencryptedLogin(settings.get(ALLOW_UNENCRYPTED_LOGIN));
        settings.ifPresent(TOPIC, builder::topic);
        settings.ifPresent(TIMEOUT, builder::timeout);
        settings.ifPresent(CLOUD_EVENTS, builder::cloudEvents);
        return Outlet.of(builder.build());
    }

    private static Map<String, String> properties(Settings settings) {
        Map<String, String> given = settings.find(PROPERTIES);
        return given == null ? Map.of() : given;
    }
}
