package org.pgbaton.rabbitmq;

/** The exchange and routing key of a message. */
record AmqpAddress(String exchange, String routingKey) {
    @Override
    public String toString() {
        return (exchange.isEmpty() ? "the default exchange" : "exchange '" + exchange + "'") + " with routing key '"
                + routingKey + "'";
    }
}
