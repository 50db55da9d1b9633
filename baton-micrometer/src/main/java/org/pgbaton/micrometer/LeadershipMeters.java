package org.pgbaton.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Health;
import org.pgbaton.leadership.LeadershipChange;
import org.pgbaton.leadership.LeadershipHealth;
import org.pgbaton.leadership.LeadershipListener;
import org.pgbaton.leadership.LeadershipState;

/**
 * The leadership meters of one Baton in one registry. Gauges are read from its health; changes are counted when the
 * listener hears of them. Registers each leadership once. Thread-safe.
 *
 * <p>The registry refers to the health weakly. This listener keeps the health alive, and the Baton keeps the listener.
 */
final class LeadershipMeters implements LeadershipListener {
    private static final String ROLE = "baton.leadership.role";
    private static final String EPOCH = "baton.leadership.epoch";
    private static final String HEARTBEAT_AGE = "baton.leadership.heartbeat.age";
    private static final String CHANGES = "baton.leadership.changes";
    private static final String TAKEOVER = "baton.leadership.takeover";

    /** From a hand-over to a lease of a minute: the upper ends of the histogram. */
    private static final Duration[] TAKEOVER_BUCKETS = Stream.of(
                    10, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000)
            .map(Duration::ofMillis)
            .toArray(Duration[]::new);

    /** A process can bid for a leadership that it already leads; then the meters show the term. */
    private static final List<LeadershipState> MOST_TELLING_FIRST =
            List.of(LeadershipState.LEADING, LeadershipState.SUSPENDED, LeadershipState.STANDBY, LeadershipState.LOST);

    private final MeterRegistry registry;
    private final Tags extra;
    private final Supplier<Health> health;
    private final Map<String, Counted> shown = new ConcurrentHashMap<>();

    LeadershipMeters(MeterRegistry registry, Tags extra, Supplier<Health> health) {
        this.registry = registry;
        this.extra = extra;
        this.health = health;
    }

    /** The counters and the timer of one leadership. */
    private record Counted(Counter began, Counter ended, Timer takeover) {}

    /** Makes the leadership's meters appear, with nothing counted yet. */
    void show(String leadership) {
        counted(leadership);
    }

    @Override
    public void changed(LeadershipChange change) {
        Counted counted = counted(change.leadership());
        Duration takeover = change.takeover();
        // Only the beginning of a term has a takeover time. When trust comes back, the state is LEADING without one.
        if (change.to() == LeadershipState.LEADING && takeover != null) {
            counted.began.increment();
            counted.takeover.record(takeover);
        } else if (change.to() == LeadershipState.LOST) {
            counted.ended.increment();
        }
    }

    private Counted counted(String leadership) {
        return shown.computeIfAbsent(leadership, this::register);
    }

    private Counted register(String leadership) {
        Tags tags = extra.and("leadership", leadership);
        for (LeadershipState role : LeadershipState.values()) {
            gauge(ROLE, leadership, now -> now != null && now.state() == role ? 1 : 0)
                    .description("1 for the role this process has in the leadership, 0 for the others")
                    .tags(tags.and("role", tagValue(role)))
                    .register(registry);
        }
        gauge(EPOCH, leadership, now -> now == null || !inTerm(now) ? 0 : now.epoch())
                .description("The epoch this process leads under, 0 while it does not lead")
                .tags(tags)
                .register(registry);
        gauge(HEARTBEAT_AGE, leadership, LeadershipMeters::heartbeatAge)
                .description("Time since the leader's last successful round trip to the database began")
                .baseUnit("seconds")
                .tags(tags)
                .register(registry);
        return new Counted(
                changes(tags, LeadershipState.LEADING),
                changes(tags, LeadershipState.LOST),
                Timer.builder(TAKEOVER)
                        .description("How long nobody led before this process did")
                        .serviceLevelObjectives(TAKEOVER_BUCKETS)
                        .tags(tags)
                        .register(registry));
    }

    private Counter changes(Tags tags, LeadershipState to) {
        return Counter.builder(CHANGES)
                .description("Terms of this process that began (leading) and ended (lost)")
                .tags(tags.and("to", tagValue(to)))
                .register(registry);
    }

    private Gauge.Builder<Supplier<Health>> gauge(String name, String leadership, Reading reading) {
        ToDoubleFunction<Supplier<Health>> value =
                source -> reading.of(find(source.get(), leadership).orElse(null));
        return Gauge.builder(name, health, value);
    }

    /** One number out of this process's part in a leadership; null if it has none. */
    @FunctionalInterface
    private interface Reading {
        double of(@Nullable LeadershipHealth now);
    }

    private static Optional<LeadershipHealth> find(Health health, String leadership) {
        return health.leaderships().stream()
                .filter(each -> each.leadership().equals(leadership))
                .min(Comparator.comparingInt(each -> MOST_TELLING_FIRST.indexOf(each.state())));
    }

    private static double heartbeatAge(@Nullable LeadershipHealth now) {
        Duration age = now == null || !inTerm(now) ? null : now.sinceHeartbeat();
        return age == null ? Double.NaN : age.toNanos() / 1e9;
    }

    private static boolean inTerm(LeadershipHealth now) {
        return now.state() == LeadershipState.LEADING || now.state() == LeadershipState.SUSPENDED;
    }

    private static String tagValue(LeadershipState state) {
        return state.name().toLowerCase(Locale.ROOT);
    }
}
