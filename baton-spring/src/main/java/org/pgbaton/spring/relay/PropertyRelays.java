package org.pgbaton.spring.relay;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.spring.property.NamedProperties;
import org.pgbaton.spring.property.PropertyException;
import org.pgbaton.spring.start.StartedWithContext;
import org.pgbaton.subscription.MessageOrder;
import org.pgbaton.subscription.Start;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionBuilder;
import org.springframework.core.env.Environment;

/**
 * The relays under {@code baton.relays.NAME}, started with the context. Everything that can be checked without the database and the target is
 * checked when this is opened. Closing closes the publishers, after their relays have ended. As Spring calls it; {@link #targets()} is
 * thread-safe.
 */
public final class PropertyRelays implements StartedWithContext, RelayTargets, AutoCloseable {
    private static final String PREFIX = "baton.relays";

    private final Baton baton;
    private final List<Relay> relays = new CopyOnWriteArrayList<>(); // the dashboard may read while the context closes

    private record Relay(String name, RelayProperties properties, Outlet outlet) {
        String subscription() {
            return properties.subscription() == null ? name : properties.subscription();
        }
    }

    private PropertyRelays(Baton baton) {
        this.baton = baton;
    }

    /**
     * Reads the properties and makes the publishers, which do not connect yet.
     *
     * @throws PropertyException if a relay makes no sense, or its module is not on the class path
     */
    public static PropertyRelays open(Baton baton, Environment environment, @Nullable ClassLoader loader) {
        PropertyRelays opened = new PropertyRelays(baton);
        Map<String, RelayProperties> all = NamedProperties.bind(environment, PREFIX, RelayProperties.class);
        try {
            all.forEach((name, properties) -> opened.add(name, properties, environment, loader));
            opened.checkNames();
        } catch (RuntimeException refused) {
            opened.close();
            throw refused;
        }
        return opened;
    }

    private void add(String name, RelayProperties properties, Environment environment, @Nullable ClassLoader loader) {
        String path = NamedProperties.path(PREFIX, name);
        TargetKind kind = kind(path, properties);
        if (!kind.isOnClassPath(loader)) {
            throw new PropertyException(
                    path + "." + kind.word() + " needs " + kind.artifact() + ", which is not on the class path.",
                    "Add the dependency org.pgbaton:" + kind.artifact()
                            + ". Or set baton.relays.enabled=false, and leave relays to 'baton serve'.");
        }
        if (properties.order() == RelayProperties.Order.TOTAL
                && properties.workers() != null
                && properties.workers() != 1) {
            throw new PropertyException(
                    path + ".workers makes no sense in total order, which has one.", "Leave it out.");
        }
        Relay relay = new Relay(name, properties, opened(path + "." + kind.word(), kind, properties, environment));
        relays.add(relay);
        try {
            var unused = describe(relay); // refuses bad values
        } catch (IllegalArgumentException refused) {
            throw PropertyException.of(path, refused);
        }
    }

    private static TargetKind kind(String path, RelayProperties properties) {
        List<TargetKind> kinds = Arrays.stream(TargetKind.values())
                .filter(kind -> kind.isIn(properties))
                .toList();
        if (kinds.size() != 1) {
            throw new PropertyException(
                    path + " has " + (kinds.isEmpty() ? "no target" : "more than one target")
                            + ": give properties of exactly one of kafka, rabbitmq, nats and webhook.",
                    kinds.isEmpty()
                            ? "For example " + path + ".kafka.bootstrap-servers=localhost:9092."
                            : "Make a relay of its own for each target.");
        }
        return kinds.get(0);
    }

    private static Outlet opened(String path, TargetKind kind, RelayProperties properties, Environment environment) {
        try {
            return kind.open(properties, environment);
        } catch (IllegalArgumentException refused) {
            throw PropertyException.of(path, refused);
        }
    }

    private void checkNames() {
        Set<String> names = new HashSet<>();
        for (Relay relay : relays) {
            if (!names.add(relay.subscription())) {
                throw new PropertyException(
                        "Two relays under " + PREFIX + " have the subscription '" + relay.subscription() + "'.",
                        "Give each relay a subscription of its own; by default it has the relay's name.");
            }
        }
    }

    @Override
    public Map<String, String> targets() {
        return relays.stream()
                .collect(Collectors.toMap(
                        Relay::subscription, relay -> relay.outlet().target().get()));
    }

    @Override
    public List<Subscription> start() {
        List<Subscription> started = new ArrayList<>();
        try {
            relays.forEach(relay -> started.add(describe(relay).start()));
        } catch (RuntimeException failed) {
            started.forEach(Subscription::close);
            throw failed;
        }
        return started;
    }

    private SubscriptionBuilder describe(Relay relay) {
        RelayProperties properties = relay.properties();
        SubscriptionBuilder builder = baton.subscription(relay.subscription())
                .on(properties.log())
                .order(properties.order() == RelayProperties.Order.TOTAL ? MessageOrder.TOTAL : MessageOrder.PER_KEY)
                .from(from(properties.from()))
                .attempts(properties.attempts())
                .handlerLimit(properties.handlerLimit())
                .slowKey(properties.slowKey());
        if (properties.workers() != null) {
            builder.workers(properties.workers());
        }
        if (properties.batch() != null) {
            builder.batch(properties.batch());
        }
        if (properties.backoff() != null) {
            builder.backoff(
                    properties.backoff().shortest(), properties.backoff().longest());
        }
        if (!properties.types().isEmpty()) {
            builder.types(properties.types().toArray(String[]::new));
        }
        if (properties.keyPrefix() != null) {
            builder.keyPrefix(properties.keyPrefix());
        }
        return relay.outlet().attach().apply(builder);
    }

    private static Start from(String text) {
        return switch (text) {
            case "origin" -> Start.origin();
            case "now" -> Start.now();
            default -> {
                if (!text.matches("\\d{1,18}")) {
                    throw new IllegalArgumentException(
                            "from cannot be '" + text + "': give origin, now or a position (default origin).");
                }
                yield Start.after(Long.parseLong(text));
            }
        };
    }

    @Override
    public void close() {
        relays.forEach(relay -> relay.outlet().close().run());
        relays.clear();
    }
}
