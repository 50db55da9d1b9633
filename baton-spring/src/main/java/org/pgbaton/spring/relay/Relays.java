package org.pgbaton.spring.relay;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.pgbaton.Baton;
import org.pgbaton.spring.BatonRelay;
import org.pgbaton.spring.start.StartedWithContext;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionBuilder;
import org.pgbaton.subscription.TransactionalPublisher;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** All relays of the application, started with the context. The publishers are closed as beans, after their relays. As Spring calls it. */
public final class Relays implements StartedWithContext, RelayTargets {
    private final ConfigurableListableBeanFactory beans;
    private final Baton baton;
    private final Map<String, String> targets = new ConcurrentHashMap<>();

    /** Of the publisher beans of this factory. */
    public Relays(ConfigurableListableBeanFactory beans, Baton baton) {
        this.beans = beans;
        this.baton = baton;
    }

    @Override
    public Map<String, String> targets() {
        return Map.copyOf(targets);
    }

    @Override
    public List<Subscription> start() {
        List<Subscription> started = new ArrayList<>();
        try {
            for (String name : beans.getBeanNamesForAnnotation(BatonRelay.class)) {
                BatonRelay relay = beans.findAnnotationOnBean(name, BatonRelay.class);
                if (relay != null) {
                    started.add(describe(name, relay).start());
                }
            }
        } catch (RuntimeException failed) {
            started.forEach(Subscription::close);
            throw failed;
        }
        return started;
    }

    private SubscriptionBuilder describe(String name, BatonRelay relay) {
        SubscriptionBuilder builder = baton.subscription(text(relay.subscription()))
                .on(text(relay.log()))
                .order(relay.order());
        if (relay.types().length > 0) {
            builder.types(relay.types());
        }
        Outlet outlet = outlet(name, beans.getBean(name));
        targets.put(text(relay.subscription()), outlet.target().get());
        return outlet.attach().apply(builder);
    }

    private static Outlet outlet(String name, Object bean) {
        if (bean instanceof TransactionalPublisher publisher) {
            return Outlet.of(publisher);
        }
        if (bean instanceof Publisher publisher) {
            return Outlet.of(publisher);
        }
        throw new IllegalStateException("The bean '" + name + "' has @BatonRelay and is no Publisher, but a "
                + bean.getClass().getName() + ": put the annotation on the publisher.");
    }

    private String text(String value) {
        String resolved = beans.resolveEmbeddedValue(value);
        return resolved == null ? "" : resolved;
    }
}
