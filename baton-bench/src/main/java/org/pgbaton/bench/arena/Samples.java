package org.pgbaton.bench.arena;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** Measured times in milliseconds. Percentiles by nearest rank, so each is a time that occurred. Thread-safe. */
public final class Samples {
    private final List<Double> millis = Collections.synchronizedList(new ArrayList<>());

    public void add(double time) {
        millis.add(time);
    }

    public int size() {
        return millis.size();
    }

    public double percentile(int percent) {
        List<Double> sorted = new ArrayList<>(millis);
        Collections.sort(sorted);
        return sorted.get(Math.max(0, (int) Math.ceil(sorted.size() * percent / 100.0) - 1));
    }

    /** p50 / p99 for a table cell. */
    public String shown() {
        return millis.isEmpty() ? "–" : shown(percentile(50)) + " / " + shown(percentile(99));
    }

    public static String shown(double time) {
        if (time >= 1000) {
            return String.format(Locale.ROOT, "%.1f s", time / 1000);
        }
        return String.format(Locale.ROOT, time < 10 ? "%.1f ms" : "%.0f ms", time);
    }
}
