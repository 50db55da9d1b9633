package org.pgbaton.spring.listener;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.pgbaton.spring.start.StartedWithContext;
import org.pgbaton.subscription.Subscription;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * All listeners of the application: found and checked when all beans are there, started as subscriptions with the context.
 *
 * <p>Threading: as Spring calls it.
 */
public final class Listeners implements SmartInitializingSingleton, StartedWithContext {
    private final ConfigurableListableBeanFactory beans;
    private final ListenerSubscriptions subscriptions;
    private final List<ListenerSubscription> found = new ArrayList<>();

    /** Of the beans of this factory. */
    public Listeners(ConfigurableListableBeanFactory beans, ListenerSubscriptions subscriptions) {
        this.beans = beans;
        this.subscriptions = subscriptions;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Map<String, List<ListenerMethod>> byName = new LinkedHashMap<>();
        for (ListenerMethod each : ListenerScan.listeners(beans)) {
            String name = subscriptions.text(each.annotation().subscription());
            byName.computeIfAbsent(
                            name + "\0" + subscriptions.text(each.annotation().target()), n -> new ArrayList<>())
                    .add(each);
        }
        byName.values().forEach(methods -> found.add(subscriptions.of(methods)));
    }

    @Override
    public List<Subscription> start() {
        List<Subscription> started = new ArrayList<>();
        try {
            found.forEach(each -> started.add(each.start()));
        } catch (RuntimeException failed) {
            started.forEach(Subscription::close);
            throw failed;
        }
        return started;
    }
}
