package org.pgbaton.handling;

import org.pgbaton.subscription.Delivery;

/** A lane, for as long as this process owns it: handlers are called on its behalf. Thread-safe. */
public interface CallOwner {
    /** Made for the handler, to be passed to it beside the message. */
    Delivery delivery(SubscriptionOptions options, int attempt);

    /** A call began. The lane is not given back before it has {@linkplain #callEnded ended}. */
    void callBegan();

    /** The call returned, or is not waited for any longer. */
    void callEnded();
}
