package org.pgbaton.chaos;

import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.pgbaton.chaos.targets.Arrival;

/** How much a long round wrote, and how much came out of it. Pure functions. */
final class LongRoundNumbers {
    private LongRoundNumbers() {}

    static String of(History history) {
        Map<String, Long> handled = new TreeMap<>();
        Map<String, Set<Object>> different = new TreeMap<>();
        for (History.Effect effect : history.effects()) {
            count(handled, different, effect.subscription(), effect.position());
        }
        for (Arrival arrival : history.arrivals()) {
            count(handled, different, arrival.target(), arrival.id());
        }
        long strikes = history.faults().stream()
                .filter(event -> event.what().startsWith(LateTakeovers.STRIKE))
                .count();
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT,
                "%,d messages written, %d strikes",
                history.written().size(),
                strikes));
        handled.forEach((name, count) -> line.append(String.format(
                Locale.ROOT,
                "; %s: %,d different ones, %,d again",
                name,
                different.get(name).size(),
                count - different.get(name).size())));
        return line + ".";
    }

    private static void count(
            Map<String, Long> handled, Map<String, Set<Object>> different, String name, Object message) {
        handled.merge(name, 1L, Long::sum);
        different.computeIfAbsent(name, each -> new HashSet<>()).add(message);
    }
}
