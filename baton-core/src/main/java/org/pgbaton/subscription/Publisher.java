package org.pgbaton.subscription;

import java.util.concurrent.CompletionStage;
import org.pgbaton.log.Message;

/**
 * Sends messages to a target outside: a broker, an endpoint. A subscription that hands its messages to one is a relay.
 *
 * <p>Guarantee, kept by the relay: at least once, in order per key, one message of a key at a time, any number of keys at once.
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

    /** Publishes nothing any more; what is in flight gets its time, within a few seconds. */
    @Override
    void close();
}
