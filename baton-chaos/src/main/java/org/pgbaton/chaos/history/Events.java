package org.pgbaton.chaos.history;

import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;

/** What was done, and when; in milliseconds since the round began. Thread-safe. */
public final class Events {
    private final long begun = System.nanoTime();
    private final long begunAt = System.currentTimeMillis();
    private final List<History.Event> all = new ArrayList<>();

    public long millis() {
        return (System.nanoTime() - begun) / 1_000_000;
    }

    /** The same for a time of day. */
    public long millis(Timestamp at) {
        return at.getTime() - begunAt;
    }

    public synchronized void add(String what) {
        all.add(new History.Event(millis(), what));
    }

    public synchronized List<History.Event> all() {
        return List.copyOf(all);
    }
}
