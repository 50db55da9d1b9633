package org.pgbaton.spring.boot3;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.spring.actuator.BatonHealth;
import org.pgbaton.spring.actuator.PartHealth;
import org.springframework.boot.actuate.health.CompositeHealthContributor;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthContributor;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.NamedContributor;

/** {@link BatonHealth} in the classes of Boot 3. Looks again at each request, because subscriptions come and go. */
final class BatonHealthContributor implements CompositeHealthContributor {
    private final BatonHealth health;

    BatonHealthContributor(BatonHealth health) {
        this.health = health;
    }

    @Override
    public @Nullable HealthContributor getContributor(String name) {
        return contributors().get(name);
    }

    @Override
    public Iterator<NamedContributor<HealthContributor>> iterator() {
        return contributors().entrySet().stream()
                .map(each -> NamedContributor.of(each.getKey(), each.getValue()))
                .iterator();
    }

    private Map<String, HealthContributor> contributors() {
        Map<String, HealthContributor> all = new LinkedHashMap<>();
        all.put("start", indicator(health.start()));
        health.parts()
                .forEach((kind, parts) ->
                        all.put(kind, CompositeHealthContributor.fromMap(parts, BatonHealthContributor::indicator)));
        return all;
    }

    private static HealthIndicator indicator(PartHealth part) {
        return () -> (part.up() ? Health.up() : Health.down())
                .withDetails(part.details())
                .build();
    }
}
