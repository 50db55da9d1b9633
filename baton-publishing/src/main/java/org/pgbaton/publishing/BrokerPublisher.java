package org.pgbaton.publishing;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadFactory;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.Publisher;

/**
 * A publisher to a broker that confirms messages one by one. Each kind of broker extends it.
 *
 * <p>Guarantees, whatever the broker does:
 *
 * <ul>
 *   <li>A message is published when the link has said so, and not before. It ends soon after the time limit at the latest.
 *   <li>A message that failed is not sent later. The broker may still have got it.
 *   <li>It connects when there is something to send, and again, with growing pauses, after the connection was lost.
 *   <li>At most {@link #MOST_UNFINISHED} messages wait or are in flight; more fail as an outage.
 *   <li>{@link #close} gives them a few seconds, and ends all threads.
 * </ul>
 *
 * <p>Thread-safe; {@link #publish} never waits for the broker. Actions that depend on the returned stage run on the
 * publisher's own threads, and should be quick.
 */
public abstract class BrokerPublisher implements Publisher {
    /** The most messages that wait or are in flight. */
    public static final int MOST_UNFINISHED = 10_000;

    private final String target;
    private final Sender<?> sender;

    /** What the broker gets, and the way there. */
    private record Sender<E>(Envelopes<E> envelopes, SendingLoop<E> loop) {
        CompletionStage<?> send(Message message, Delivery delivery) {
            PendingMessage<E> pending = new PendingMessage<>(message.toString(), envelopes.of(message, delivery));
            loop.accept(pending);
            return pending.published();
        }
    }

    /**
     * Makes a publisher, which connects to nothing yet.
     *
     * @param <E> the form in which the broker gets messages
     * @param target the answer of {@link #target}
     * @param envelopes makes the broker's form of a message
     * @param broker is closed with the publisher
     * @param limit a message that is not confirmed by then has failed
     * @param threads makes daemon threads, such as {@link DaemonThreads}
     */
    protected <E> BrokerPublisher(
            String target, Envelopes<E> envelopes, Broker<E> broker, Duration limit, ThreadFactory threads) {
        this.target = target;
        this.sender = new Sender<>(envelopes, new SendingLoop<>(broker, limit, threads));
    }

    @Override
    public final String target() {
        return target;
    }

    @Override
    public final CompletionStage<?> publish(Message message, Delivery delivery) {
        return sender.send(message, delivery);
    }

    @Override
    public final void close() {
        sender.loop().close();
    }

    @Override
    public final String toString() {
        return getClass().getSimpleName() + " to " + target;
    }
}
