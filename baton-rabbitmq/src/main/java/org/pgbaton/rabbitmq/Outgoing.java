package org.pgbaton.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;
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
    private final Address address;
    private final BasicProperties properties;
    private final int headerSize;
    private final byte[] body;
    private final CompletableFuture<@Nullable Void> published = new CompletableFuture<>();
    private final AtomicBoolean taken = new AtomicBoolean();

    private volatile @Nullable Link link;

    /** The rest belongs to the courier's thread. */
    private long sentAt;

    private @Nullable String returned;

    /** @param headerSize what the properties take in a frame, at most */
    Outgoing(String description, Address address, BasicProperties properties, int headerSize, byte[] body) {
        this.description = description;
        this.address = address;
        this.properties = properties;
        this.headerSize = headerSize;
        this.body = body;
    }

    /** Where RabbitMQ is to route it. */
    record Address(String exchange, String routingKey) {
        @Override
        public String toString() {
            return (exchange.isEmpty() ? "the default exchange" : "exchange '" + exchange + "'") + " with routing key '"
                    + routingKey + "'";
        }
    }

    String id() {
        return properties.getMessageId();
    }

    Address address() {
        return address;
    }

    BasicProperties properties() {
        return properties;
    }

    int headerSize() {
        return headerSize;
    }

    byte[] body() {
        return body;
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

    long sentAt() {
        return sentAt;
    }

    /** What it was sent by; null if it was not. */
    @Nullable
    Link link() {
        return link;
    }

    void sent(Link by, long nanos) {
        this.link = by;
        this.sentAt = nanos;
    }

    /** RabbitMQ's words, if it could not route the message; its acknowledgement says nothing then. */
    @Nullable
    String returned() {
        return returned;
    }

    void returned(String why) {
        this.returned = why;
    }

    @Override
    public String toString() {
        return description;
    }
}
