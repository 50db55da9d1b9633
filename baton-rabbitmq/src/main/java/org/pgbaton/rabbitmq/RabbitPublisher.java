package org.pgbaton.rabbitmq;

import com.rabbitmq.client.Address;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.subscription.Delivery;
import org.pgbaton.subscription.Publisher;
import org.pgbaton.subscription.UnencryptedLogin;

/**
 * Publishes to RabbitMQ. A message counts as published when RabbitMQ has confirmed it: routed to at least one queue, and written to
 * disk where the queue is durable.
 *
 * <pre>{@code
 * try (var rabbit = RabbitPublisher.to("amqps://app:secret@rabbit/shop").exchange("orders").build()) {
 *     baton.subscription("orders-out").on("outbox").publish(rabbit).start();
 * }
 * }</pre>
 *
 * <p>What arrives: the payload as it was written; properties {@code message_id} (the same at every attempt: consumers recognise what
 * comes twice), {@code content_type} (the message's header {@code content-type}, else {@code application/json} or {@code
 * application/octet-stream}), {@code type}, {@code timestamp}, {@code delivery_mode} 2; the message's own headers, and {@code
 * baton-key}, {@code baton-topic}, {@code baton-type}, {@code baton-position}, {@code baton-epoch}, {@code baton-attempt} and {@code
 * baton-subscription}.
 *
 * <p>What failures mean: RabbitMQ away, blocked, without the exchange or refusing the user: an outage. A message too large, or without
 * what its routing key is made of: parked. No queue for it, a full queue, no confirmation in time: tried again, and parked after some
 * attempts. If exchanges are made from messages, a missing one concerns only its own messages: tried again.
 *
 * <p>It connects when there is something to send, and again, with growing pauses, after the connection was lost. A message that failed is
 * not sent later; RabbitMQ may still have got it. Thread-safe; {@link #publish} never waits for RabbitMQ. What depends on
 * the stage it returns runs on the publisher's own thread, and should be quick.
 */
public final class RabbitPublisher implements Publisher {
    private final String target;
    private final Envelopes envelopes;
    private final Courier courier;

    private RabbitPublisher(String target, Envelopes envelopes, Courier courier) {
        this.target = target;
        this.envelopes = envelopes;
        this.courier = courier;
    }

    /**
     * @param amqpUri {@code amqp://user:password@host:5672/vhost}, or {@code amqps://} for TLS; several hosts of a cluster are separated by
     *     commas; a special character is written %40 and the like
     */
    public static Builder to(String amqpUri) {
        return new Builder(AmqpUri.parse(amqpUri));
    }

    @Override
    public String target() {
        return target;
    }

    @Override
    public CompletionStage<?> publish(Message message, Delivery delivery) {
        Outgoing outgoing = envelopes.seal(message, delivery);
        courier.accept(outgoing);
        return outgoing.published();
    }

    @Override
    public void close() {
        courier.close();
    }

    @Override
    public String toString() {
        return "RabbitPublisher to " + target;
    }

    /** Options, all with good defaults. Not thread-safe. */
    public static final class Builder {
        private static final Duration STANDARD_LIMIT = Duration.ofSeconds(10);

        private final AmqpUri uri;
        private @Nullable Path passwordFile;
        private @Nullable SSLContext tls;
        private String exchange = "";
        private String routingKey = "{topic}";
        private boolean mandatory = true;
        private Duration limit = STANDARD_LIMIT;
        private boolean unencrypted;

        private Builder(AmqpUri uri) {
            this.uri = uri;
        }

        /**
         * Default: RabbitMQ's default exchange, which routes to the queue that is named like the routing key.
         *
         * @param name may contain <code>{topic}</code>, <code>{key}</code> and <code>{type}</code>
         */
        public Builder exchange(String name) {
            this.exchange = Objects.requireNonNull(name, "name");
            return this;
        }

        /**
         * Default: <code>{topic}</code>.
         *
         * @param key may contain <code>{topic}</code>, <code>{key}</code> and <code>{type}</code>
         */
        public Builder routingKey(String key) {
            this.routingKey = Objects.requireNonNull(key, "key");
            return this;
        }

        /** False: a message that no queue wants counts as published, and is gone. Default: true, it fails. */
        public Builder mandatory(boolean wanted) {
            this.mandatory = wanted;
            return this;
        }

        /** A message that RabbitMQ has not confirmed by then has failed. Also for each step of connecting. Default 10 s. */
        public Builder timeout(Duration longest) {
            if (longest.compareTo(Duration.ofMillis(100)) < 0 || longest.compareTo(Duration.ofHours(1)) > 0) {
                throw new IllegalArgumentException("A time-out of " + longest
                        + " makes no sense: give 100 ms to 1 hour (default " + STANDARD_LIMIT.toSeconds() + " s).");
            }
            this.limit = longest;
            return this;
        }

        /** Holds the password, in place of the one in the URI. It is read at every connect. */
        public Builder passwordFile(Path file) {
            if (!Files.isReadable(file) || Files.isDirectory(file)) {
                throw new IllegalArgumentException("The password file " + file + " cannot be read.");
            }
            this.passwordFile = file;
            return this;
        }

        /** For {@code amqps}: whom to trust, and who we are. Default: the JVM's own. Host names are checked in any case. */
        public Builder tls(SSLContext context) {
            if (!uri.tls()) {
                throw new IllegalArgumentException(
                        "TLS is set up for an address that starts with amqp://; write amqps://.");
            }
            this.tls = context;
            return this;
        }

        /**
         * Whether the login may go to another machine unencrypted (default false: refused by {@link #build}). For networks on
         * which nobody else can listen.
         */
        public Builder allowUnencryptedLogin(boolean allowed) {
            this.unencrypted = allowed;
            return this;
        }

        /** Connects to nothing yet. */
        public RabbitPublisher build() {
            if (!unencrypted && !uri.tls() && (uri.hasPassword() || passwordFile != null)) {
                UnencryptedLogin.refuse(
                        uri.toString(),
                        uri.hosts().stream().map(Address::getHost).toList(),
                        "write amqps://");
            }
            Template exchanges = Template.parse("exchange", exchange);
            Template keys = Template.parse("routing key", routingKey);
            ThreadFactory threads = new Threads();
            Broker broker = new Broker(uri, passwordFile, uri.tls() ? context() : null, limit, threads);
            return new RabbitPublisher(
                    uri + ", " + (exchange.isEmpty() ? "default exchange" : "exchange " + exchange) + ", routing key "
                            + routingKey,
                    new Envelopes(exchanges, keys),
                    new Courier(broker, exchanges.isFixed(), mandatory, limit, threads));
        }

        private SSLContext context() {
            try {
                SSLContext given = tls;
                return given != null ? given : SSLContext.getDefault();
            } catch (NoSuchAlgorithmException misconfigured) {
                throw new IllegalArgumentException("This JVM's default TLS settings do not work.", misconfigured);
            }
        }
    }

    /** Ours and the client's: they keep no JVM alive. */
    private static final class Threads implements ThreadFactory {
        private static final AtomicInteger NUMBER = new AtomicInteger();

        @Override
        public Thread newThread(Runnable work) {
            Thread thread = new Thread(work, "baton-rabbitmq-" + NUMBER.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        }
    }
}
