package org.pgbaton.proofs.subscription;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.pgbaton.log.Message;

/** Records the calls of a reaction, in order, and whether two calls of one key ever overlapped. Thread-safe. */
final class Deliveries {
    private final List<Message> all = new ArrayList<>();
    private final Map<String, Integer> running = new HashMap<>();
    private boolean overlapping;

    synchronized void begin(Message message) {
        all.add(message);
        overlapping |= running.merge(message.key(), 1, Integer::sum) > 1;
    }

    synchronized void end(Message message) {
        running.merge(message.key(), -1, Integer::sum);
    }

    /** The positions of that key, in the order of delivery. */
    synchronized List<Long> of(String key) {
        return all.stream()
                .filter(message -> message.key().equals(key))
                .map(Message::position)
                .toList();
    }

    synchronized long keys() {
        return all.stream().map(Message::key).distinct().count();
    }

    synchronized boolean everOverlapped() {
        return overlapping;
    }
}
