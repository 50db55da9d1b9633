package org.pgbaton.spring.boot;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgbaton.spring.actuator.BatonHealth;
import org.pgbaton.spring.actuator.PartHealth;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthContributors;
import org.springframework.boot.health.contributor.HealthIndicator;

/** {@link BatonHealth} in the classes of Boot 4. Looks again at each request, because subscriptions come and go. */
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
    public Stream<HealthContributors.Entry> stream() {
        return contributors().entrySet().stream()
                .map(each -> new HealthContributors.Entry(each.getKey(), each.getValue()));
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
