package org.pgbaton.rabbitmq;

import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.pgbaton.publishing.BrokerPublisher;
import org.pgbaton.publishing.BrokerPublisherBuilder;
import org.pgbaton.publishing.CloudEventAttributes;
import org.pgbaton.publishing.DaemonThreads;

/**
 * Publishes to RabbitMQ. A message counts as published when RabbitMQ has confirmed it: routed to at least one queue, and written to
 * disk where the queue is durable.
 *
 * <pre>{@code
 * RabbitPublisher rabbit = RabbitPublisher.to("amqps://app@rabbit/shop")
 *         .passwordFile(Path.of("/run/secrets/rabbit"))
 *         .exchange("orders")
 *         .build();
 * Subscription relay = baton.subscription("orders-out").on("outbox").publish(rabbit).start();
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
 * attempts. If exchanges are made from messages and one is missing, only the messages for it are tried again.
 *
 * <p>It connects when there is something to send, and again, with growing pauses, after the connection was lost. A message that failed is
 * not sent later; RabbitMQ may still have got it. Thread-safe; {@link #publish} never waits for RabbitMQ. What depends on
 * the stage it returns runs on the publisher's own thread, and should be quick.
 */
public final class RabbitPublisher extends BrokerPublisher {
    private RabbitPublisher(String target, AmqpEnvelopes envelopes, RabbitBroker broker, ThreadFactory threads) {
        super(target, envelopes, broker, broker.limit(), threads);
    }

    /**
     * Begins to describe a publisher.
     *
     * @param amqpUri {@code amqp://user:password@host:5672/vhost}, or {@code amqps://} for TLS; several hosts of a cluster are separated by
     *     commas; a special character is written %40 and the like
     */
    public static Builder to(String amqpUri) {
        return new Builder(AmqpUri.parse(amqpUri));
    }

    /** Options, all with good defaults. Not thread-safe. */
    public static final class Builder extends BrokerPublisherBuilder<Builder> {
        private final AmqpUri uri;
        private String exchange = "";
        private String routingKey = "{topic}";
        private boolean mandatory = true;
        private @Nullable CloudEventAttributes cloudEvents;

        private Builder(AmqpUri uri) {
            super("amqp://", "amqps://", uri.tls());
            this.uri = uri;
        }

        @Override
        protected Builder self() {
            return this;
        }

        /**
         * Publishes to this exchange. Default: RabbitMQ's default exchange, which routes to the queue that is named like the routing key.
         *
         * @param name may contain <code>{topic}</code>, <code>{key}</code> and <code>{type}</code>
         */
        public Builder exchange(String name) {
            this.exchange = Objects.requireNonNull(name, "name");
            return this;
        }

        /**
         * Publishes with this routing key. Default: <code>{topic}</code>.
         *
         * @param key may contain <code>{topic}</code>, <code>{key}</code> and <code>{type}</code>
         */
        public Builder routingKey(String key) {
            this.routingKey = Objects.requireNonNull(key, "key");
            return this;
        }

        /** Whether a message needs a queue. If false, a message that no queue wants counts as published, and is gone. Default true: it fails. */
        public Builder mandatory(boolean wanted) {
            this.mandatory = wanted;
            return this;
        }

        /**
         * Makes every message a CloudEvent in binary mode: headers {@code cloudEvents:id}, {@code cloudEvents:source}, {@code cloudEvents:type} and so on,
         * beside the others. Default: no.
         *
         * @param source where messages come from, a URI or a part of one: {@code /shop/orders}
         */
        public Builder cloudEvents(String source) {
            this.cloudEvents = CloudEventAttributes.of("cloudEvents:", source);
            return this;
        }

        private String target() {
            return uri + ", " + (exchange.isEmpty() ? "default exchange" : "exchange " + exchange) + ", routing key "
                    + routingKey;
        }

        /** Makes the publisher, which connects to nothing yet. */
        public RabbitPublisher build() {
            checkLogin(uri.toString(), uri.hosts(), uri.hasPassword());
            AmqpNameTemplate exchanges = AmqpNameTemplate.parse("exchange", exchange);
            AmqpNameTemplate keys = AmqpNameTemplate.parse("routing key", routingKey);
            ThreadFactory threads = new DaemonThreads("baton-rabbitmq");
            RabbitBroker broker = new RabbitBroker(uri, connectOptions(), exchanges.isFixed(), mandatory, threads);
            return new RabbitPublisher(target(), new AmqpEnvelopes(exchanges, keys, cloudEvents), broker, threads);
        }
    }
}
