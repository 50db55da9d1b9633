package org.pgbaton.handling;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Message;

/**
 * The calls of one member's handler that have not ended, by key.
 *
 * <p>Guarantee: within this member a key has one call at a time. Every call enters here before it begins, and leaves when it has ended; a
 * call whose key has another one is refused. That holds over the end of a tenure: a call that outlives its lane, its session or its
 * transaction keeps its key, until the handler returns. In total order the whole subscription counts as one key.
 *
 * <p>Thread-safe.
 */
final class RunningCalls {
    private static final String EVERYTHING = "";

    private final boolean inTotalOrder;
    private final Map<String, Call> running = new ConcurrentHashMap<>();

    RunningCalls(boolean inTotalOrder) {
        this.inTotalOrder = inTotalOrder;
    }

    /** Null if none runs. */
    @Nullable
    Call of(String key) {
        return running.get(inTotalOrder ? EVERYTHING : key);
    }

    boolean isEmpty() {
        return running.isEmpty();
    }

    Collection<Call> all() {
        return running.values();
    }

    /** @return false if a key of it has a call already; then it must not begin */
    boolean enter(Call call) {
        if (inTotalOrder) {
            return running.putIfAbsent(EVERYTHING, call) == null;
        }
        @Nullable String last = null;
        for (Message message : call.unit()) {
            if (message.key().equals(last)) {
                continue;
            }
            last = message.key();
            Call other = running.putIfAbsent(message.key(), call);
            if (other != null && other != call) {
                leave(call);
                return false;
            }
        }
        return true;
    }

    void leave(Call call) {
        if (inTotalOrder) {
            running.remove(EVERYTHING, call);
            return;
        }
        for (Message message : call.unit()) {
            running.remove(message.key(), call);
        }
    }
}
