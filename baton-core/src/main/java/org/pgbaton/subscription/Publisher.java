package org.pgbaton.subscription;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.pgbaton.log.Message;

/**
 * Sends messages to a target outside: a broker, an endpoint. A subscription that hands its messages to one is a relay.
 *
 * <p>Guarantee, kept by the relay: at least once, in order per key, any number of keys at once. Of a key there is one message at a time,
 * or one {@linkplain #publishInOrder group of messages}, if the publisher keeps their order.
 *
 * <p>What an implementation owes it:
 *
 * <ul>
 *   <li>A message counts as published when its stage completes: not before the target has confirmed that it keeps the message.
 *   <li>A failure is a {@link HandlerException} whose verdict says what it means: {@link Verdict#PARK} if the target will never take
 *       this message, {@link Verdict#OUTAGE} if the target takes none at present (without end, attempts are not counted), {@link
 *       Verdict#STOP} if somebody must look at it first. Anything else is tried again, and parked after some attempts.
 *   <li>After a failure nothing of the attempt arrives later, if that can be helped: the relay may send the message again at once, and
 *       then the next one of its key.
 *   <li>It reconnects by itself, has a time limit for everything, and names no secret in {@link #target}, errors or log.
 * </ul>
 *
 * <p>Threading: {@link #publish} is called by several threads at once, and does not wait for the target.
 */
public interface Publisher extends AutoCloseable {
    /** Where messages go, for people; without secrets. */
    String target();

    /**
     * Sends a message.
     *
     * @return completes when the target has confirmed the message; it may throw instead
     */
    CompletionStage<?> publish(Message message, Delivery delivery);

    /**
     * Whether this publisher keeps the order of messages that it gets together. Then the relay hands over the messages of a key that it
     * has read by {@link #publishInOrder}, and does not wait for each of them. Default: no.
     */
    default boolean keepsOrder() {
        return false;
    }

    /**
     * Sends messages of one key together. They arrive in this order, and none of them arrives without those before it. Called only if the
     * publisher {@linkplain #keepsOrder keeps the order}.
     *
     * <p>A failure is {@linkplain HandlerException#about about} the first message that is not published. Those before it count as
     * published, and of those behind it nothing arrives.
     *
     * @param messages at least one, all of the same key
     * @return completes when the target has confirmed all of them; it may throw instead, if it has sent none
     */
    default CompletionStage<?> publishInOrder(List<Message> messages, Delivery delivery) {
        throw new UnsupportedOperationException(this + " does not keep the order of messages");
    }

    /** Publishes nothing any more; what is in flight gets its time, within a few seconds. */
    @Override
    void close();
}
