package org.pgbaton.publishing;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.pgbaton.subscription.HandlerException;

/**
 * A message that is not published yet. Exactly one thread takes it: the loop's thread, to send it, or the clock's
 * thread, to give it up before it was sent. So a message is not sent after it has failed.
 *
 * <p>It ends once: the first of {@link #confirm} and {@link #fail} counts. Thread-safe.
 *
 * @param <E> the form in which the broker gets it
 */
public final class PendingMessage<E> {
    private final String description;
    private final E envelope;
    private final CompletableFuture<@Nullable Void> published = new CompletableFuture<>();
    private final AtomicBoolean taken = new AtomicBoolean();
    private volatile @Nullable BrokerLink<E> link;

    /** Only the loop's thread reads and writes this field. */
    private long sentAt;

    /** @param description names the message in errors */
    PendingMessage(String description, E envelope) {
        this.description = description;
        this.envelope = envelope;
    }

    /** The message in the broker's form. */
    public E envelope() {
        return envelope;
    }

    /** The broker has confirmed that it keeps the message. */
    public void confirm() {
        published.complete(null);
    }

    /** Does nothing if the message has ended already. */
    public void fail(HandlerException failure) {
        published.completeExceptionally(failure);
    }

    CompletableFuture<@Nullable Void> published() {
        return published;
    }

    boolean hasEnded() {
        return published.isDone();
    }

    /** @return false if another thread has taken it, or it has ended */
    boolean take() {
        return !published.isDone() && taken.compareAndSet(false, true);
    }

    /** Whether no thread has taken it yet. */
    boolean isWaiting() {
        return !taken.get() && !published.isDone();
    }

    /** The link that sent it; null if none did. */
    @Nullable
    BrokerLink<E> link() {
        return link;
    }

    long sentAt() {
        return sentAt;
    }

    void sent(BrokerLink<E> by, long nanos) {
        this.link = by;
        this.sentAt = nanos;
    }

    /** The message's name in errors. */
    @Override
    public String toString() {
        return description;
    }
}
