package org.pgbaton.server.serve;

import java.util.function.Supplier;
import org.pgbaton.Baton;
import org.pgbaton.server.channel.Channel;
import org.pgbaton.server.publisher.Outlet;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionHealth;

/** A relay or a channel that runs in this process, until closed: its subscription first, then its publisher. Thread-safe. */
final class RunningRelay implements AutoCloseable {
    private final RelayReport.What what;
    private final String name;
    private final Runnable closePublisher;
    private final Subscription subscription;

    private RunningRelay(RelayReport.What what, String name, Runnable closePublisher, Subscription subscription) {
        this.what = what;
        this.name = name;
        this.closePublisher = closePublisher;
        this.subscription = subscription;
    }

    static RunningRelay start(Relay relay, Baton baton) {
        Outlet outlet = relay.target().open();
        Subscription started = started(() -> relay.start(baton, outlet), outlet::close);
        return new RunningRelay(RelayReport.What.RELAY, relay.name(), outlet::close, started);
    }

    static RunningRelay start(Feed feed, Baton baton) {
        Channel channel = feed.channel().open();
        Subscription started =
                started(() -> feed.channel().start(baton, feed.log(), feed.subscription(), channel), channel::close);
        return new RunningRelay(RelayReport.What.CHANNEL, feed.subscription(), channel::close, started);
    }

    private static Subscription started(Supplier<Subscription> start, Runnable closePublisher) {
        try {
            return start.get();
        } catch (RuntimeException failed) {
            closePublisher.run();
            throw failed;
        }
    }

    String name() {
        return name;
    }

    RelayReport.Seen seen() {
        return new RelayReport.Seen(what, name, health());
    }

    private SubscriptionHealth health() {
        return subscription.health();
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
