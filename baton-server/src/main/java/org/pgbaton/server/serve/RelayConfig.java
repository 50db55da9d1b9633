package org.pgbaton.server.serve;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.server.config.Key;
import org.pgbaton.server.config.Kind;
import org.pgbaton.server.config.Section;
import org.pgbaton.server.config.Settings;
import org.pgbaton.server.publisher.Outlet;
import org.pgbaton.server.publisher.Retries;
import org.pgbaton.server.publisher.Target;
import org.pgbaton.subscription.Order;
import org.pgbaton.subscription.Start;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionBuilder;

/** A relay as a file describes it. What it leaves open, {@link SubscriptionBuilder} decides by the same defaults. Immutable. */
final class RelayConfig {
    static final Key<String> NAME = Key.required("name", Kind.name(), "How it is called here. Unique in the file.");
    static final Key<String> LOG = Key.optional("log", Kind.name(), "outbox", "The log to read.");
    static final Key<String> SUBSCRIPTION = Key.optional(
            "subscription",
            Kind.name(),
            "The subscription, by which the database knows how far it is. Default: the relay's name.");
    static final Key<Order> ORDER = Key.optional(
            "order",
            Kind.choice(orders()),
            "key",
            "key: messages of one key one after the other, different keys at the same time; total: all of them one after the other.");
    private static final Key<Integer> WORKERS =
            Key.optional("workers", Kind.whole(1, 1024), "4", "Batches at the same time, in each process.");
    private static final Key<Integer> BATCH = Key.optional(
            "batch",
            Kind.whole(1, 100_000),
            "Messages that are read and closed together. Default: 500, to Kafka exactly once 5000.");
    private static final Key<Start> FROM = Key.optional(
            "from",
            Kind.wordOrNumber("origin, now or a position", List.of("origin", "now"), RelayConfig::start),
            "origin",
            "Where it begins the first time: origin, now, or after a position.");
    private static final Key<List<String>> TYPES =
            Key.optional("types", Kind.texts(), "Only messages of these types. Default: all.");
    private static final Key<String> KEY_PREFIX =
            Key.optional("key-prefix", Kind.text(), "Only messages whose key begins like this. Default: all.");
    private static final Key<Settings> TARGET = Key.required("target", Target.SECTION.kind(), "Where its messages go.");

    static final Section SECTION = Section.of(
                    "relay", NAME, LOG, SUBSCRIPTION, ORDER, WORKERS, BATCH, FROM, TYPES, KEY_PREFIX, TARGET)
            .and(Retries.KEYS)
            .namedBy(NAME)
            .check(RelayConfig::check);

    private final Settings part;
    private final Target target;

    /** @param part read without a problem */
    RelayConfig(Settings part) {
        this.part = part;
        this.target = Target.of(part.get(TARGET));
    }

    private static Map<String, Order> orders() {
        Map<String, Order> orders = new LinkedHashMap<>();
        orders.put("key", Order.PER_KEY);
        orders.put("total", Order.TOTAL);
        return orders;
    }

    private static @Nullable Start start(String text) {
        return switch (text) {
            case "origin" -> Start.origin();
            case "now" -> Start.now();
            default -> text.matches("\\d{1,18}") ? Start.after(Long.parseLong(text)) : null;
        };
    }

    private static void check(Settings part) {
        if (part.has(WORKERS)
                && part.find(ORDER) == Order.TOTAL
                && !Integer.valueOf(1).equals(part.find(WORKERS))) {
            part.problem(
                    WORKERS,
                    "'workers' in " + part.title() + " makes no sense in total order, which has one: leave it out");
        }
    }

    String name() {
        return part.get(NAME);
    }

    String log() {
        return part.get(LOG);
    }

    int logLine() {
        return part.line(LOG);
    }

    int line() {
        return part.line();
    }

    /** The name that counts in the database. */
    String subscription() {
        return subscription(part);
    }

    /** Of a relay that may have problems. */
    static String subscription(Settings part) {
        String given = part.find(SUBSCRIPTION);
        String name = part.find(NAME);
        return given != null ? given : name == null ? "" : name;
    }

    String order() {
        return part.get(ORDER) == Order.TOTAL ? "total" : "key";
    }

    int workers() {
        return part.get(ORDER) == Order.TOTAL ? 1 : part.get(WORKERS);
    }

    Target target() {
        return target;
    }

    Subscription start(Baton baton, Outlet outlet) {
        SubscriptionBuilder builder = baton.subscription(subscription())
                .on(log())
                .order(part.get(ORDER))
                .workers(part.get(WORKERS))
                .from(part.get(FROM));
        Retries.applyTo(builder, part);
        Integer batch = part.find(BATCH);
        if (batch != null) {
            builder.batch(batch);
        }
        List<String> types = part.find(TYPES);
        if (types != null) {
            builder.types(types.toArray(String[]::new));
        }
        String prefix = part.find(KEY_PREFIX);
        if (prefix != null) {
            builder.keyPrefix(prefix);
        }
        return outlet.attachTo(builder).start();
    }
}
