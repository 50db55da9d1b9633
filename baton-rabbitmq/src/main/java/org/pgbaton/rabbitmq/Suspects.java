package org.pgbaton.rabbitmq;

import java.util.LinkedHashMap;
import java.util.Map;

/** Messages, and addresses, over which RabbitMQ may have closed a channel. The oldest are forgotten. Not thread-safe. */
final class Suspects {
    private static final int MOST = 10_000;

    private final Map<Object, Boolean> known = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, Boolean> eldest) {
            return size() > MOST;
        }
    };

    void add(Outgoing outgoing) {
        known.put(outgoing.id(), true);
    }

    /** Whatever goes there. */
    void add(Outgoing.Address address) {
        known.put(address, true);
    }

    boolean contains(Outgoing outgoing) {
        return known.containsKey(outgoing.id()) || known.containsKey(outgoing.address());
    }

    void clear(Outgoing outgoing) {
        known.remove(outgoing.id());
        known.remove(outgoing.address());
    }
}
