package org.pgbaton.publishing;

import java.util.function.BiConsumer;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;

/** Baton's own headers of a message, as text in visible ASCII. */
public final class BatonHeaders {
    private BatonHeaders() {}

    /**
     * Gives {@code baton-key}, {@code baton-topic}, {@code baton-type}, {@code baton-position}, {@code baton-epoch}, {@code baton-attempt} and
     * {@code baton-subscription} to the consumer, as far as the message has them. Texts are {@linkplain HeaderEncoding#encoded encoded}.
     */
    public static void forEach(Message message, Delivery delivery, BiConsumer<String, String> header) {
        header.accept("baton-key", HeaderEncoding.encoded(message.key()));
        String topic = message.topic();
        if (topic != null) {
            header.accept("baton-topic", HeaderEncoding.encoded(topic));
        }
        String type = message.type();
        if (type != null) {
            header.accept("baton-type", HeaderEncoding.encoded(type));
        }
        header.accept("baton-position", Long.toString(message.position()));
        header.accept("baton-epoch", Long.toString(delivery.epoch()));
        header.accept("baton-attempt", Integer.toString(delivery.attempt()));
        header.accept("baton-subscription", HeaderEncoding.encoded(delivery.subscription()));
    }
}
