package org.pgbaton.rabbitmq;

import com.rabbitmq.client.AMQP.BasicProperties;

/**
 * A message in the form that RabbitMQ gets.
 *
 * @param headerSize an upper bound of the bytes that the properties take in a frame
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record AmqpEnvelope(AmqpAddress address, BasicProperties properties, int headerSize, byte[] body) {
    /** The message's id, the same at every attempt. */
    String id() {
        return properties.getMessageId();
    }
}
