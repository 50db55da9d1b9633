package org.pgbaton.server.serve;

import java.util.function.Predicate;
import java.util.function.Supplier;
import org.pgbaton.Baton;
import org.pgbaton.server.notice.Channel;
import org.pgbaton.server.publisher.Outlet;
import org.pgbaton.subscription.Subscription;

/** A relay or a channel that runs in this process. Closing ends its subscription first, then its publisher. Thread-safe. */
final class RunningSubscription implements AutoCloseable {
    private final ServedHealth.Type type;
    private final String name;
    private final Predicate<Object> isFor;
    private final Runnable closePublisher;
    private final Subscription subscription;

    private RunningSubscription(
            ServedHealth.Type type,
            String name,
            Predicate<Object> isFor,
            Runnable closePublisher,
            Subscription subscription) {
        this.type = type;
        this.name = name;
        this.isFor = isFor;
        this.closePublisher = closePublisher;
        this.subscription = subscription;
    }

    static RunningSubscription start(RelayConfig relay, Baton baton) {
        Outlet outlet = relay.target().open();
        Subscription started = started(() -> relay.start(baton, outlet), outlet::close);
        return new RunningSubscription(
                ServedHealth.Type.RELAY,
                relay.name(),
                other -> other instanceof RelayConfig wanted && wanted.sameAs(relay),
                outlet::close,
                started);
    }

    static RunningSubscription start(ChannelSubscription wanted, Baton baton) {
        Channel channel = wanted.channel().open();
        Subscription started = started(
                () -> wanted.channel().start(baton, wanted.log(), wanted.subscription(), channel), channel::close);
        return new RunningSubscription(
                ServedHealth.Type.CHANNEL,
                wanted.subscription(),
                other -> other instanceof ChannelSubscription channels && channels.sameAs(wanted),
                channel::close,
                started);
    }

    private static Subscription started(Supplier<Subscription> start, Runnable closePublisher) {
        try {
            return start.get();
        } catch (RuntimeException failed) {
            closePublisher.run();
            throw failed;
        }
    }

    /** Whether it runs what is configured so: a relay, or a channel's subscription. */
    boolean isFor(Object config) {
        return isFor.test(config);
    }

    String name() {
        return name;
    }

    ServedHealth health() {
        return new ServedHealth.OfSubscription(type, name, subscription.health());
    }

    @Override
    public void close() {
        try {
            subscription.close();
        } finally {
            closePublisher.run();
        }
    }
}
