package org.pgbaton.chaos.verdict;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.pgbaton.chaos.history.History;
import org.pgbaton.chaos.targets.Arrival;

/** How much a long round wrote, and how much came out of it. Pure functions. */
public final class LongRoundNumbers {
    private LongRoundNumbers() {}

    public static String of(History history) {
        Map<String, List<Object>> handled = new TreeMap<>();
        for (History.Effect effect : history.effects()) {
            handled.computeIfAbsent(effect.subscription(), name -> new ArrayList<>())
                    .add(effect.position());
        }
        for (Arrival arrival : history.arrivals()) {
            handled.computeIfAbsent(arrival.target(), name -> new ArrayList<>()).add(arrival.id());
        }
        long strikes = history.faults().stream()
                .filter(event -> event.what().startsWith(History.STRIKE))
                .count();
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT,
                "%,d messages written, %d strikes",
                history.written().size(),
                strikes));
        handled.forEach((name, all) -> {
            int different = new HashSet<>(all).size();
            line.append(String.format(
                    Locale.ROOT, "; %s: %,d different ones, %,d again", name, different, all.size() - different));
        });
        return line + ".";
    }
}
