package org.pgbaton.nats;

import io.nats.client.Message;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.pgbaton.subscription.HandlerException;

/**
 * A message on its way. Exactly one party takes it: the courier, to send it, or the clock, to give it up before it was sent; so
 * nothing is sent after it has failed.
 */
final class Outgoing {
    private final String description;
    private final Message message;
    private final CompletableFuture<@Nullable Void> published = new CompletableFuture<>();
    private final AtomicBoolean taken = new AtomicBoolean();
    private volatile @Nullable Link link;

    /** Belongs to the courier's thread. */
    private long sentAt;

    Outgoing(String description, Message message) {
        this.description = description;
        this.message = message;
    }

    Message message() {
        return message;
    }

    String subject() {
        return message.getSubject();
    }

    /** What counts against NATS's largest payload. */
    long size() {
        return message.getData().length + (long) message.getHeaders().serializedLength();
    }

    CompletableFuture<@Nullable Void> published() {
        return published;
    }

    /** Unless it has ended already. */
    void fail(HandlerException failure) {
        published.completeExceptionally(failure);
    }

    /** @return false if somebody else has taken it, or nobody waits for it any more */
    boolean take() {
        return !published.isDone() && taken.compareAndSet(false, true);
    }

    /** True while it can still be taken. */
    boolean isWaiting() {
        return !taken.get() && !published.isDone();
    }

    /** What it was sent by; null if it was not. */
    @Nullable
    Link link() {
        return link;
    }

    long sentAt() {
        return sentAt;
    }

    void sent(Link by, long nanos) {
        this.link = by;
        this.sentAt = nanos;
    }

    @Override
    public String toString() {
        return description;
    }
}
