package org.pgbaton.rabbitmq;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Messages and addresses because of which RabbitMQ may have closed a channel. The oldest are forgotten. Not
 * thread-safe.
 */
final class SuspectMessages {
    private static final int MOST = 10_000;

    private final Map<Object, Boolean> known = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, Boolean> eldest) {
            return size() > MOST;
        }
    };

    void add(AmqpEnvelope message) {
        known.put(message.id(), true);
    }

    /** Makes every message to this address a suspect. */
    void add(AmqpAddress address) {
        known.put(address, true);
    }

    boolean contains(AmqpEnvelope message) {
        return !known.isEmpty() && (known.containsKey(message.id()) || known.containsKey(message.address()));
    }

    /** RabbitMQ has taken this message. */
    void clear(AmqpEnvelope message) {
        if (!known.isEmpty()) {
            known.remove(message.id());
            known.remove(message.address());
        }
    }
}
