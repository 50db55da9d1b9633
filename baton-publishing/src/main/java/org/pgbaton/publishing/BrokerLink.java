package org.pgbaton.publishing;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a broker, and the messages in flight on it. It reports to {@link LinkEvents}, and never connects again: after it is
 * lost, the loop asks the {@link Broker} for another.
 *
 * <p>Threading: called by the loop's thread only, except {@link #cut} and {@link #blocked}.
 *
 * @param <E> the form in which the broker gets messages
 */
public abstract class BrokerLink<E> {
    private boolean answers;
    private long newestSettled;

    /** A link is connected when it is made. */
    protected BrokerLink() {}

    /**
     * Whether this message may be sent now. If not, it and all messages after it wait until {@link LinkEvents#canSend}.
     */
    protected boolean mayTake(PendingMessage<E> message) {
        return true;
    }

    /**
     * Sends the message and returns without waiting for the answer. If the broker cannot carry the message, ends it
     * instead. Calls {@link #sending} right before the message can reach the broker.
     *
     * @throws LinkLostException if the link cannot be used any more; the message and all messages in flight fail as an
     *     outage
     */
    protected abstract void send(PendingMessage<E> message) throws LinkLostException;

    /** The message is in flight from now on. */
    protected final void sending(PendingMessage<E> message) {
        message.sent(this, System.nanoTime());
    }

    /** The broker has answered to this message, with whatever answer. */
    protected final void settled(PendingMessage<E> message) {
        newestSettled = answers ? Math.max(newestSettled, message.sentAt()) : message.sentAt();
        answers = true;
    }

    /** Whether the broker has answered to any message on this link. */
    protected final boolean answers() {
        return answers;
    }

    /** Whether the broker has answered to a message that was sent later. */
    final boolean hasSettledAfter(PendingMessage<E> message) {
        return answers && newestSettled - message.sentAt() > 0;
    }

    /** How many messages are in flight. */
    protected abstract int inFlight();

    /**
     * Takes a message out of those in flight.
     *
     * @return false if the message is not in flight here any more
     */
    protected abstract boolean forget(PendingMessage<E> message);

    /**
     * Takes all messages out of those in flight.
     *
     * @return the messages that were in flight, in the order in which they were sent
     */
    protected abstract List<PendingMessage<E>> forgetAll();

    /** The broker's reason for taking no messages at present; null while it takes them. Any thread may call it. */
    protected @Nullable String blocked() {
        return null;
    }

    /**
     * Ends the connection at once, also for a thread that is stuck writing to it, and does not wait. Bytes that the
     * kernel has not sent yet are thrown away, so that a message does not arrive after it has failed. Can be called
     * again. Any thread may call it.
     */
    protected abstract void cut();

    /** Ends the connection, in good order if nothing is in flight, and waits until it is closed. */
    protected abstract void close(Duration atMost);
}
