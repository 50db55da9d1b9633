package org.pgbaton.publishing;

import org.pgbaton.subscription.HandlerException;

/**
 * The sending loop's view of a broker that confirms messages one by one. {@link Object#toString} names the broker at
 * the beginning of sentences, without secrets: {@code NATS at nats://localhost:4222}.
 *
 * @param <E> the form in which it gets messages
 */
public interface Broker<E> {
    /**
     * Connects, within a time limit for every step. Called by the loop's thread, for one connection after the other.
     *
     * @param events where the link reports what the broker says
     * @throws HandlerException if it cannot be reached or refuses us: one sentence, an outage
     */
    BrokerLink<E> connect(LinkEvents<E> events);

    /**
     * A part of a sentence, in the broker's own words: {@code did not acknowledge message 7 for subject 'orders'}. Any
     * thread may call it.
     */
    String didNotConfirm(PendingMessage<E> message);

    /** A part of a sentence: {@code acknowledged nothing}. */
    String confirmedNothing();

    /**
     * Ends the threads that belong to the broker's client. A {@link #connect} in progress fails. Called once, by the
     * thread that closes the publisher.
     */
    default void close() {}
}
