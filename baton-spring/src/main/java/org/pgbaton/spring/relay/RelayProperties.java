package org.pgbaton.spring.relay;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code baton.relays.NAME.*}, with the names and defaults of {@code baton.yaml}. Immutable.
 *
 * @param log The log to read.
 * @param subscription The subscription, by which the database knows how far the relay is. Default: the relay's name.
 * @param order key: messages of one key one after the other, different keys at the same time; total: all of them one after the other.
 * @param workers Batches at the same time, in each process. Default: 4; in total order 1.
 * @param batch Messages that are read and closed together. Default: 500, to Kafka exactly once 5000.
 * @param from Where it begins the first time: origin, now, or a position, after which it begins.
 * @param types Only messages of these types. Default: all.
 * @param keyPrefix Only messages whose key begins like this. Default: all.
 * @param attempts After so many failures of one message its key is parked.
 * @param backoff Pauses between the attempts at one message.
 * @param handlerLimit Sending one message may take so long, then it has failed.
 * @param slowKey A key that takes longer is set aside, so that others need not wait for it.
 * @param kafka Sends to Apache Kafka. Needs baton-kafka.
 * @param rabbitmq Sends to RabbitMQ. Needs baton-rabbitmq.
 * @param nats Sends to NATS JetStream. Needs baton-nats.
 * @param webhook Sends to an HTTP endpoint. Needs baton-http.
 */
public record RelayProperties(
        @DefaultValue("outbox") String log,
        @Nullable String subscription,
        @DefaultValue("key") Order order,
        @Nullable Integer workers,
        @Nullable Integer batch,
        @DefaultValue("origin") String from,
        @DefaultValue List<String> types,
        @Nullable String keyPrefix,
        @DefaultValue("5") int attempts,
        @Nullable Backoff backoff,
        @DefaultValue("30s") Duration handlerLimit,
        @DefaultValue("1s") Duration slowKey,
        @Nullable Kafka kafka,
        @Nullable Rabbitmq rabbitmq,
        @Nullable Nats nats,
        @Nullable Webhook webhook) {
    /** What a relay keeps in order. */
    public enum Order {
        /** The messages of each key. */
        KEY,
        /** All messages. */
        TOTAL
    }

    /**
     * Pauses between the attempts at one message.
     *
     * @param shortest The first pause; they double.
     * @param longest No pause is longer.
     */
    public record Backoff(
            @DefaultValue("100ms") Duration shortest,
            @DefaultValue("5m") Duration longest) {}

    /**
     * Apache Kafka; each message goes to its topic, under its key.
     *
     * @param bootstrapServers host:port of some brokers. Default: spring.kafka.bootstrap-servers.
     * @param mode exactly-once: seen once by consumers that read what is committed; at-least-once: without transactions.
     * @param topic One topic for all messages. Default: each message's own.
     * @param groups With exactly-once: in how many groups lanes are owned, each with a producer; as long as the relay exists. Default: 4.
     * @param prefix With exactly-once: how the names of transactions and of the progress topic begin. Default: baton. Another one for each
     *     database.
     * @param timeout How long Kafka may take; keep it below handler-limit. Default: 24s with exactly-once, else 20s.
     * @param properties Settings of Kafka's producer, such as security.protocol.
     * @param cloudEvents Sends CloudEvents in binary mode, with this source, for instance /shop/orders.
     * @param allowUnencryptedLogin Without it, a password goes to another machine only over TLS.
     */
    public record Kafka(
            @DefaultValue List<String> bootstrapServers,
            @DefaultValue("exactly-once") Mode mode,
            @Nullable String topic,
            @Nullable Integer groups,
            @Nullable String prefix,
            @Nullable Duration timeout,
            @DefaultValue Map<String, String> properties,
            @Nullable String cloudEvents,
            boolean allowUnencryptedLogin) {
        /** How often consumers may see a message. */
        public enum Mode {
            /** Once, if they read what is committed. */
            EXACTLY_ONCE,
            /** Once or more. */
            AT_LEAST_ONCE
        }

        @Override
        public String toString() {
            return "kafka"; // without its secrets
        }
    }

    /**
     * RabbitMQ, with publisher confirms.
     *
     * @param uri amqp://user:password@host:5672/vhost, or amqps:// for TLS; several hosts separated by commas.
     * @param passwordFile A file with the password, in place of the one in the URI. It is read at every connect.
     * @param exchange The exchange; {topic}, {key} and {type} stand for the message's own. Default: RabbitMQ's default exchange.
     * @param routingKey The routing key; {topic}, {key} and {type} stand for the message's own.
     * @param mandatory Whether a message that no queue wants has failed; if not, it counts as published and is gone.
     * @param timeout A message that RabbitMQ has not confirmed by then has failed. Also for each step of connecting.
     * @param cloudEvents Sends CloudEvents in binary mode, with this source, for instance /shop/orders.
     * @param allowUnencryptedLogin Without it, a password goes to another machine only over TLS.
     */
    public record Rabbitmq(
            @Nullable String uri,
            @Nullable Path passwordFile,
            @Nullable String exchange,
            @DefaultValue("{topic}") String routingKey,
            @DefaultValue("true") boolean mandatory,
            @DefaultValue("10s") Duration timeout,
            @Nullable String cloudEvents,
            boolean allowUnencryptedLogin) {
        @Override
        public String toString() {
            return "rabbitmq"; // without its secrets
        }
    }

    /**
     * NATS JetStream, which recognises a message that comes twice by its id.
     *
     * @param url nats://user:password@host:4222, nats://token@host, or tls:// for TLS; several servers separated by commas.
     * @param passwordFile A file with the password of the URL's user, or with a token. It is read at every connect.
     * @param credentialsFile A file of credentials as nsc makes it, with a JWT and a key. It is read at every connect.
     * @param subject The subject; {topic}, {key} and {type} stand for the message's own.
     * @param timeout A message that no stream has acknowledged by then has failed. Also for connecting to each server.
     * @param cloudEvents Sends CloudEvents in binary mode, with this source, for instance /shop/orders.
     * @param allowUnencryptedLogin Without it, a password goes to another machine only over TLS.
     */
    public record Nats(
            @Nullable String url,
            @Nullable Path passwordFile,
            @Nullable Path credentialsFile,
            @DefaultValue("{topic}") String subject,
            @DefaultValue("10s") Duration timeout,
            @Nullable String cloudEvents,
            boolean allowUnencryptedLogin) {
        @Override
        public String toString() {
            return "nats"; // without its secrets
        }
    }

    /**
     * An HTTP endpoint: each message is a POST with its bytes.
     *
     * @param url Where to POST. Its path is shown to people, its query is not.
     * @param allowPrivate Loopback and private addresses, and plain http to them, are refused without it.
     * @param secret Signs with this secret: whsec_ and 24 to 64 bytes in base64.
     * @param secrets Several secrets, each of which signs, while receivers change to a new one. In place of secret.
     * @param timeout How long a request may take, with everything.
     * @param headers Sent with every request, for instance Authorization.
     * @param maxPayload A message with more bytes is parked.
     * @param cloudEvents Sends CloudEvents in binary mode, with this source, for instance /shop/orders.
     */
    public record Webhook(
            @Nullable String url,
            boolean allowPrivate,
            @Nullable String secret,
            @DefaultValue List<String> secrets,
            @DefaultValue("15s") Duration timeout,
            @DefaultValue Map<String, String> headers,
            @DefaultValue("1000000") int maxPayload,
            @Nullable String cloudEvents) {
        @Override
        public String toString() {
            return "webhook"; // without its secrets
        }
    }
}
