package org.pgbaton.handling;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The keys whose last call took too long: their next messages are set aside at once, so that others need not wait. Thread-safe. */
public final class SlowKeys {
    /** When there are more, all are forgotten: a key that is slow will be slow again. */
    private static final int MOST = 10_000;

    private final Set<String> keys = ConcurrentHashMap.newKeySet();

    public void add(String key) {
        if (keys.size() >= MOST) {
            keys.clear();
        }
        keys.add(key);
    }

    public void remove(String key) {
        keys.remove(key);
    }

    public boolean contains(String key) {
        return keys.contains(key);
    }
}
