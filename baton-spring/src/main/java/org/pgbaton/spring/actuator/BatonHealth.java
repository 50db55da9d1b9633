package org.pgbaton.spring.actuator;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.pgbaton.Baton;
import org.pgbaton.Health;
import org.pgbaton.capture.CaptureHealth;
import org.pgbaton.leadership.LeadershipHealth;
import org.pgbaton.spring.start.DatabaseAtStart;
import org.pgbaton.subscription.SubscriptionHealth;

/**
 * The health of Baton in this process, for the health contributors of both starters:
 *
 * <pre>
 *   start                    whether the schema was migrated or checked
 *   subscriptions / NAME     NAME is name.target if it has a target
 *   leaderships   / NAME
 *   captures      / NAME
 * </pre>
 *
 * <p>Only the parts that run here are listed. Does not ask the database. Thread-safe.
 */
public final class BatonHealth {
    private final Baton baton;
    private final DatabaseAtStart database;

    /** Of this Baton. */
    public BatonHealth(Baton baton, DatabaseAtStart database) {
        this.baton = baton;
        this.database = database;
    }

    /** Whether Baton could start. It does not depend on who leads or owns what, so it fits readiness. */
    public PartHealth start() {
        String trouble = database.trouble();
        return new PartHealth(
                database.isReady() && trouble == null, trouble == null ? Map.of() : Map.of("problem", trouble));
    }

    /** The parts by their kind and name; kinds without parts are left out. */
    public Map<String, Map<String, PartHealth>> parts() {
        Health health = baton.health();
        Map<String, Map<String, PartHealth>> all = new TreeMap<>();
        for (SubscriptionHealth each : health.subscriptions()) {
            String name = each.target().isEmpty() ? each.name() : each.name() + "." + each.target();
            add(all, "subscriptions", name, part(each));
        }
        for (LeadershipHealth each : health.leaderships()) {
            add(all, "leaderships", each.leadership(), part(each));
        }
        for (CaptureHealth each : health.captures()) {
            add(all, "captures", each.name(), part(each));
        }
        return all;
    }

    /** A process may take part twice under the same name; the one in trouble is shown. A path of Actuator ends at a slash. */
    private static void add(Map<String, Map<String, PartHealth>> all, String kind, String name, PartHealth part) {
        all.computeIfAbsent(kind, k -> new TreeMap<>())
                .merge(name.replace('/', '_'), part, (one, other) -> one.up() ? other : one);
    }

    private static PartHealth part(SubscriptionHealth health) {
        Map<String, Object> details = new TreeMap<>();
        details.put("state", health.state().name().toLowerCase(Locale.ROOT));
        details.put("lanes", health.lanes());
        put(details, "problem", health.trouble());
        if (!health.stuck().isEmpty()) {
            details.put("stuck", firstLines(health.stuck()));
        }
        return new PartHealth(health.isHealthy(), details);
    }

    private static PartHealth part(LeadershipHealth health) {
        Map<String, Object> details = new TreeMap<>();
        details.put("state", health.state().name().toLowerCase(Locale.ROOT));
        details.put("epoch", health.epoch());
        put(details, "problem", health.problem());
        return new PartHealth(health.isHealthy(), details);
    }

    private static PartHealth part(CaptureHealth health) {
        Map<String, Object> details = new TreeMap<>();
        details.put("reading", health.reading());
        put(details, "problem", health.problem());
        put(details, "warning", health.warning());
        return new PartHealth(health.problem() == null, details);
    }

    private static void put(Map<String, Object> details, String name, @Nullable String value) {
        if (value != null) {
            details.put(name, value);
        }
    }

    /** Without the stacks, which are in the log. */
    private static List<String> firstLines(List<String> stuck) {
        return stuck.stream().map(each -> each.lines().findFirst().orElse("")).toList();
    }
}
