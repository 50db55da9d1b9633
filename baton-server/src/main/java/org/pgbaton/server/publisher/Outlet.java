package org.pgbaton.server.publisher;

import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.subscription.SubscriptionBuilder;
import org.pgbaton.subscription.TransactionalPublisher;

/** A publisher of either kind, with one way to attach it to a subscription and to close it. Close it after the subscription. */
public final class Outlet implements AutoCloseable {
    private final Supplier<String> target;
    private final UnaryOperator<SubscriptionBuilder> attach;
    private final Runnable close;

    private Outlet(Supplier<String> target, UnaryOperator<SubscriptionBuilder> attach, Runnable close) {
        this.target = target;
        this.attach = attach;
        this.close = close;
    }

    public static Outlet of(Publisher publisher) {
        return new Outlet(publisher::target, relay -> relay.publish(publisher), publisher::close);
    }

    public static Outlet of(TransactionalPublisher publisher) {
        return new Outlet(publisher::target, relay -> relay.publish(publisher), publisher::close);
    }

    /** Where messages go, for people; without secrets. */
    public String target() {
        return target.get();
    }

    /** Lets the subscription publish here. */
    public SubscriptionBuilder attachTo(SubscriptionBuilder relay) {
        return attach.apply(relay);
    }

    @Override
    public void close() {
        close.run();
    }
}
