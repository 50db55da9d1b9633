package org.pgbaton.publishing;

import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.HandlerException;

/**
 * Turns a message into the form that the broker gets. Called by the threads that publish, several at once.
 *
 * @param <E> the form in which the broker gets messages
 */
@FunctionalInterface
public interface Envelopes<E> {
    /**
     * What the broker gets of a message.
     *
     * @throws HandlerException if the broker cannot carry this message
     */
    E of(Message message, Delivery delivery);
}
