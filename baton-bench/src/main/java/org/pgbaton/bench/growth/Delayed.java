package org.pgbaton.bench.growth;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.pgbaton.log.Message;

/**
 * How long things took, in microseconds. A message says in its payload when its INSERT began, on the monotonic clock, which is the same
 * for all processes of a machine. Thread-safe.
 */
final class Delayed {
    private static final byte[] SENT = "{\"sent\":".getBytes(StandardCharsets.UTF_8);

    private final List<Long> micros = new ArrayList<>();

    /** A payload of so many bytes, at least, that says when it was sent. */
    static String payload(long sent, int bytes) {
        String head = "{\"sent\":" + sent + ",\"text\":\"";
        return head + "x".repeat(Math.max(0, bytes - head.length() - 2)) + "\"}";
    }

    /** Ignores a message that does not say when it was sent. */
    void add(Message message) {
        byte[] payload = message.payload();
        long sent = 0;
        for (int i = 0; i < payload.length && i < 40; i++) {
            if (i < SENT.length) {
                if (payload[i] != SENT[i]) {
                    return;
                }
            } else if (payload[i] >= '0' && payload[i] <= '9') {
                sent = sent * 10 + payload[i] - '0';
            } else {
                break;
            }
        }
        add((System.nanoTime() - sent) / 1000);
    }

    synchronized void add(long delay) {
        micros.add(delay);
    }

    /** @return p50, p99 and how many, as words; what was there is forgotten */
    synchronized String take() {
        List<Long> sorted = new ArrayList<>(micros);
        micros.clear();
        Collections.sort(sorted);
        return rank(sorted, 50) + "\t" + rank(sorted, 99) + "\t" + sorted.size();
    }

    private static long rank(List<Long> sorted, int percent) {
        return sorted.isEmpty() ? 0 : sorted.get(Math.max(0, (int) Math.ceil(sorted.size() * percent / 100.0) - 1));
    }
}
