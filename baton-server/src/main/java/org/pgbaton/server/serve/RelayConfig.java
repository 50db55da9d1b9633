package org.pgbaton.server.serve;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.server.config.HiddenTexts;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Scalar;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;
import org.pgbaton.server.publisher.Outlet;
import org.pgbaton.server.publisher.Retries;
import org.pgbaton.server.publisher.Target;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.subscription.Start;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionBuilder;

/** A relay as it is configured. Its defaults are those of {@link SubscriptionBuilder}. Immutable. */
final class RelayConfig {
    static final Key<String> NAME = Key.required("name", Scalar.name(), "How it is called here. Unique in the file.");
    static final Key<String> LOG = Key.optional("log", Scalar.name(), "outbox", "The log to read.");
    static final Key<String> SUBSCRIPTION = Key.optional(
            "subscription",
            Scalar.name(),
            "The subscription, by which the database knows how far it is. Default: the relay's name.");
    static final Key<MessageOrder> ORDER = Key.optional(
            "order",
            Scalar.choice(orders()),
            "key",
            "key: messages of one key one after the other, different keys at the same time; total: all of them one after the other.");
    private static final Key<Integer> WORKERS =
            Key.optional("workers", Scalar.whole(1, 1024), "4", "Batches at the same time, in each process.");
    private static final Key<Integer> BATCH = Key.optional(
            "batch",
            Scalar.whole(1, 100_000),
            "Messages that are read and closed together. Default: 500, to Kafka exactly once 5000.");
    private static final Key<Start> FROM = Key.optional(
            "from",
            Scalar.wordOrNumber("origin, now or a position", List.of("origin", "now"), RelayConfig::start),
            "origin",
            "Where it begins the first time: origin, now, or after a position.");
    private static final Key<List<String>> TYPES =
            Key.optional("types", HiddenTexts.list(), "Only messages of these types. Default: all.");
    private static final Key<String> KEY_PREFIX =
            Key.optional("key-prefix", Scalar.text(), "Only messages whose key begins like this. Default: all.");
    private static final Key<Settings> TARGET = Key.required("target", Target.SECTION.kind(), "Where its messages go.");

    static final Section SECTION = Section.of(
                    "relay", NAME, LOG, SUBSCRIPTION, ORDER, WORKERS, BATCH, FROM, TYPES, KEY_PREFIX, TARGET)
            .and(Retries.KEYS)
            .namedBy(NAME)
            .check(RelayConfig::check);

    private final Settings settings;
    private final Target target;

    /**
     * @param settings without problems
     * @param database the name of the database that it reads, if the file has several; else empty
     */
    RelayConfig(Settings settings, String database) {
        this.settings = settings;
        this.target = Target.of(settings.get(TARGET), database);
    }

    private static Map<String, MessageOrder> orders() {
        Map<String, MessageOrder> orders = new LinkedHashMap<>();
        for (MessageOrder order : MessageOrder.values()) {
            orders.put(order.word(), order);
        }
        return orders;
    }

    private static @Nullable Start start(String text) {
        return switch (text) {
            case "origin" -> Start.origin();
            case "now" -> Start.now();
            default -> text.matches("\\d{1,18}") ? Start.after(Long.parseLong(text)) : null;
        };
    }

    private static void check(Settings settings) {
        if (settings.has(WORKERS)
                && settings.find(ORDER) == MessageOrder.TOTAL
                && !Integer.valueOf(1).equals(settings.find(WORKERS))) {
            settings.problem(
                    WORKERS,
                    "'workers' in " + settings.title() + " makes no sense in total order, which has one: leave it out");
        }
    }

    boolean sameAs(RelayConfig other) {
        return settings.sameAs(other.settings);
    }

    String name() {
        return settings.get(NAME);
    }

    String log() {
        return settings.get(LOG);
    }

    int logLine() {
        return settings.line(LOG);
    }

    int line() {
        return settings.line();
    }

    /** The name of the subscription in the database. */
    String subscription() {
        return subscription(settings);
    }

    /** Also for a relay with problems. */
    static String subscription(Settings settings) {
        String given = settings.find(SUBSCRIPTION);
        String name = settings.find(NAME);
        return given != null ? given : name == null ? "" : name;
    }

    MessageOrder order() {
        return settings.get(ORDER);
    }

    int workers() {
        return settings.get(ORDER) == MessageOrder.TOTAL ? 1 : settings.get(WORKERS);
    }

    Target target() {
        return target;
    }

    Subscription start(Baton baton, Outlet outlet) {
        SubscriptionBuilder builder = baton.subscription(subscription())
                .on(log())
                .order(settings.get(ORDER))
                .workers(settings.get(WORKERS))
                .from(settings.get(FROM));
        Retries.applyTo(builder, settings);
        settings.ifPresent(BATCH, builder::batch);
        settings.ifPresent(TYPES, types -> builder.types(types.toArray(String[]::new)));
        settings.ifPresent(KEY_PREFIX, builder::keyPrefix);
        return outlet.attachTo(builder).start();
    }
}
