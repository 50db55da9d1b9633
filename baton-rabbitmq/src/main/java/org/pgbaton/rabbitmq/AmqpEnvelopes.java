package org.pgbaton.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;
import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;
import org.pgbaton.publishing.CloudEventAttributes;
import org.pgbaton.publishing.Envelopes;
import org.pgbaton.subscription.Delivery;

/**
 * Turns a message into what RabbitMQ gets: the payload unchanged; its id, type and time as properties; its own headers
 * and Baton's. Immutable.
 */
final class AmqpEnvelopes implements Envelopes<AmqpEnvelope> {
    private static final int PERSISTENT = 2;

    /** RabbitMQ would send copies to the routing keys in these headers. Only the configuration says where messages go. */
    private static final Set<String> ROUTING = Set.of("CC", "BCC");

    private final AmqpNameTemplate exchange;
    private final AmqpNameTemplate routingKey;
    private final @Nullable CloudEventAttributes cloudEvents;

    /** @param cloudEvents null if messages are not to be CloudEvents */
    AmqpEnvelopes(AmqpNameTemplate exchange, AmqpNameTemplate routingKey, @Nullable CloudEventAttributes cloudEvents) {
        this.exchange = exchange;
        this.routingKey = routingKey;
        this.cloudEvents = cloudEvents;
    }

    @Override
    public AmqpEnvelope of(Message message, Delivery delivery) {
        Map<String, Object> headers = new LinkedHashMap<>();
        message.headerMap().forEach((name, value) -> {
            if (!isReserved(name)) {
                headers.put(AmqpNameTemplate.fitting("header's name", name, message), value);
            }
        });
        headers.put("baton-key", message.key());
        putIfThere(headers, "baton-topic", message.topic());
        putIfThere(headers, "baton-type", message.type());
        headers.put("baton-position", message.position());
        headers.put("baton-epoch", delivery.epoch());
        headers.put("baton-attempt", delivery.attempt());
        headers.put("baton-subscription", delivery.subscription());
        if (cloudEvents != null) {
            cloudEvents.forEach(message, headers::put);
        }
        Object standard = message.isJson() ? "application/json" : "application/octet-stream";
        Object contentType = headers.getOrDefault("content-type", standard);
        BasicProperties.Builder properties = new BasicProperties.Builder()
                .messageId(message.id().toString())
                .contentType(AmqpNameTemplate.fitting("content-type", contentType.toString(), message))
                .deliveryMode(PERSISTENT)
                .timestamp(Date.from(message.recordedAt()))
                .headers(headers);
        String type = message.type();
        if (type != null && bytes(type) <= AmqpNameTemplate.LONGEST) {
            properties.type(type);
        }
        return new AmqpEnvelope(address(message), properties.build(), size(headers), message.payload());
    }

    private boolean isReserved(String name) {
        return name.toLowerCase(Locale.ROOT).startsWith("baton-")
                || ROUTING.contains(name)
                || (cloudEvents != null && cloudEvents.isReserved(name));
    }

    /**
     * With the default exchange, or an exchange that the message chooses, the routing key may be the name of a queue.
     */
    private AmqpAddress address(Message message) {
        String to = exchange.unreserved(message);
        return new AmqpAddress(to, to.isEmpty() ? routingKey.unreserved(message) : routingKey.of(message));
    }

    private static void putIfThere(Map<String, Object> headers, String name, @Nullable String value) {
        if (value != null) {
            headers.put(name, value);
        }
    }

    /** An upper bound of the bytes that the properties take in a frame. */
    private static int size(Map<String, Object> headers) {
        int size = 1024;
        for (Map.Entry<String, Object> header : headers.entrySet()) {
            size += 16 + bytes(header.getKey()) + bytes(header.getValue().toString());
        }
        return size;
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
