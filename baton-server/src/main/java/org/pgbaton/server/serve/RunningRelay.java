package org.pgbaton.server.serve;

import org.pgbaton.Baton;
import org.pgbaton.server.publisher.Outlet;
import org.pgbaton.subscription.Subscription;
import org.pgbaton.subscription.SubscriptionHealth;

/** A relay that runs in this process, until closed: its subscription first, then its publisher. Thread-safe. */
final class RunningRelay implements AutoCloseable {
    private final Relay relay;
    private final Outlet outlet;
    private final Subscription subscription;

    private RunningRelay(Relay relay, Outlet outlet, Subscription subscription) {
        this.relay = relay;
        this.outlet = outlet;
        this.subscription = subscription;
    }

    static RunningRelay start(Relay relay, Baton baton) {
        Outlet outlet = relay.target().open();
        try {
            return new RunningRelay(relay, outlet, relay.start(baton, outlet));
        } catch (RuntimeException failed) {
            outlet.close();
            throw failed;
        }
    }

    String name() {
        return relay.name();
    }

    SubscriptionHealth health() {
        return subscription.health();
    }

    @Override
    public void close() {
        try {
            subscription.close();
        } finally {
            outlet.close();
        }
    }
}
