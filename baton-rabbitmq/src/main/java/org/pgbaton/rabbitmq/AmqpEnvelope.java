package org.pgbaton.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;

/**
 * What RabbitMQ gets of a message.
 *
 * @param headerSize what the properties take in a frame, at most
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record AmqpEnvelope(AmqpAddress address, BasicProperties properties, int headerSize, byte[] body) {
    /** The message's id, the same at every attempt. */
    String id() {
        return properties.getMessageId();
    }
}
