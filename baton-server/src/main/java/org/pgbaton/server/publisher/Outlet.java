package org.pgbaton.server.publisher;

import org.pgbaton.subscription.Publisher;
import org.pgbaton.subscription.SubscriptionBuilder;
import org.pgbaton.subscription.TransactionalPublisher;

/** A publisher of either kind, to be closed after the subscription that uses it. */
public interface Outlet extends AutoCloseable {
    static Outlet of(Publisher publisher) {
        return new Outlet() {
            @Override
            public String target() {
                return publisher.target();
            }

            @Override
            public SubscriptionBuilder attachTo(SubscriptionBuilder relay) {
                return relay.publish(publisher);
            }

            @Override
            public void close() {
                publisher.close();
            }
        };
    }

    static Outlet of(TransactionalPublisher publisher) {
        return new Outlet() {
            @Override
            public String target() {
                return publisher.target();
            }

            @Override
            public SubscriptionBuilder attachTo(SubscriptionBuilder relay) {
                return relay.publish(publisher);
            }

            @Override
            public void close() {
                publisher.close();
            }
        };
    }

    /** Where messages go, for people; without secrets. */
    String target();

    /** Makes it a relay that publishes here. */
    SubscriptionBuilder attachTo(SubscriptionBuilder relay);

    @Override
    void close();
}
