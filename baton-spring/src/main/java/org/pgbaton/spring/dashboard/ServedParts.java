package org.pgbaton.spring.dashboard;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.pgbaton.Baton;
import org.pgbaton.Health;
import org.pgbaton.capture.CaptureHealth;
import org.pgbaton.dashboard.http.ServedPart;
import org.pgbaton.spring.relay.RelayTargets;
import org.pgbaton.subscription.SubscriptionHealth;

/** The relays and captures of this process, and how they are doing. Asks no database. Thread-safe. */
public final class ServedParts implements Supplier<List<ServedPart>> {
    private final Baton baton;
    private final Iterable<RelayTargets> relays;

    /**
     * Of this Baton.
     *
     * @param relays says which subscriptions are relays
     */
    public ServedParts(Baton baton, Iterable<RelayTargets> relays) {
        this.baton = baton;
        this.relays = relays;
    }

    @Override
    public List<ServedPart> get() {
        Map<String, String> targets = new HashMap<>();
        relays.forEach(each -> targets.putAll(each.targets()));
        Health health = baton.health();
        List<ServedPart> parts = new ArrayList<>();
        for (SubscriptionHealth each : health.subscriptions()) {
            String target = targets.get(each.name());
            if (target != null) {
                parts.add(relay(each, target));
            }
        }
        health.captures().forEach(each -> parts.add(capture(each)));
        return parts;
    }

    private static ServedPart relay(SubscriptionHealth health, String target) {
        return new ServedPart(
                "relay",
                health.name(),
                health.name(),
                target,
                health.state().name().toLowerCase(Locale.ROOT),
                health.isHealthy(),
                health.trouble() == null && !health.stuck().isEmpty()
                        ? "Messages could not be sent within the limit."
                        : health.trouble(),
                health.targetAway());
    }

    private static ServedPart capture(CaptureHealth health) {
        String trouble = health.problem() == null ? health.warning() : health.problem();
        String waiting = health.problem() == null ? "standby" : "suspended";
        return new ServedPart(
                "capture",
                health.name(),
                null,
                null,
                health.reading() ? "running" : waiting,
                health.isHealthy(),
                trouble,
                false);
    }
}
