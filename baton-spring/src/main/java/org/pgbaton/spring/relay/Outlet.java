package org.pgbaton.spring.relay;

import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.subscription.SubscriptionBuilder;
import org.pgbaton.subscription.TransactionalPublisher;

/** A publisher of either kind, with one way to attach it to a subscription and to close it. Close it after the subscription. */
record Outlet(Supplier<String> target, UnaryOperator<SubscriptionBuilder> attach, Runnable close) {
    static Outlet of(Publisher publisher) {
        return new Outlet(publisher::target, relay -> relay.publish(publisher), publisher::close);
    }

    static Outlet of(TransactionalPublisher publisher) {
        return new Outlet(publisher::target, relay -> relay.publish(publisher), publisher::close);
    }
}
