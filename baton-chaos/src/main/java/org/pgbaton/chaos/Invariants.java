package org.pgbaton.chaos;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.pgbaton.chaos.Violation.Invariant;

/** What has to hold whatever happened, found out from a {@link History} alone. Pure functions. */
final class Invariants {
    /** So many examples of each. */
    private static final int SHOWN = 5;

    private final History history;
    private final Expected expected;
    private final List<Violation> found = new ArrayList<>();

    /**
     * What a scenario promises.
     *
     * @param projections names of subscriptions whose effects are in the history; in total order or not
     * @param targets names of endpoints that get everything, and whether each message comes there exactly once
     * @param again how many arrivals may be of messages that had arrived already
     * @param rewound whether an operator moved checkpoints back
     */
    record Expected(Map<String, Boolean> projections, Map<String, Boolean> targets, int again, boolean rewound) {}

    private Invariants(History history, Expected expected) {
        this.history = history;
        this.expected = expected;
    }

    static List<Violation> check(History history, Expected expected) {
        Invariants invariants = new Invariants(history, expected);
        expected.projections.forEach(invariants::projection);
        expected.targets.forEach(invariants::target);
        invariants.epochs();
        if (!expected.rewound) {
            invariants.checkpoints();
        }
        if (history.calmAfter() == null) {
            invariants.add(Invariant.I10, List.of("something was left to do when the time was over"));
        }
        return invariants.found;
    }

    private void projection(String name, boolean total) {
        List<History.Effect> effects = history.effects().stream()
                .filter(effect -> effect.subscription().equals(name))
                .toList();
        Map<Long, String> written = new TreeMap<>();
        history.written().forEach(row -> written.put(row.position(), row.key()));
        Set<Long> done = new HashSet<>();
        Map<String, Long> latest = new HashMap<>();
        List<String> twice = new ArrayList<>();
        List<String> invented = new ArrayList<>();
        List<String> overtaken = new ArrayList<>();
        for (History.Effect effect : effects) {
            if (!effect.key().equals(written.get(effect.position()))) {
                invented.add(
                        name + ": position " + effect.position() + " of key " + effect.key() + " is not in the log");
            } else if (!done.add(effect.position())) {
                twice.add(name + ": position " + effect.position() + " of key " + effect.key());
            }
            Long before = latest.merge(total ? "" : effect.key(), effect.position(), Math::max);
            if (before > effect.position()) {
                overtaken.add(
                        name + ": position " + effect.position() + " of key " + effect.key() + " after " + before);
            }
        }
        List<String> lost = new ArrayList<>();
        written.forEach((position, key) -> {
            if (!done.contains(position)) {
                lost.add(name + ": position " + position + " of key " + key);
            }
        });
        add(Invariant.I1, lost);
        add(Invariant.I2, twice);
        add(Invariant.I2, invented);
        add(Invariant.I3, overtaken);
    }

    private void target(String name, boolean exactlyOnce) {
        Map<String, Integer> places = new HashMap<>();
        Map<String, Integer> next = new HashMap<>();
        Map<String, String> keys = new LinkedHashMap<>();
        for (History.Written row : history.written()) {
            places.put(row.id(), next.merge(row.key(), 1, Integer::sum));
            keys.put(row.id(), row.key());
        }
        Set<String> seen = new HashSet<>();
        Map<String, Integer> reached = new HashMap<>();
        List<String> strange = new ArrayList<>();
        List<String> overtaken = new ArrayList<>();
        List<String> again = new ArrayList<>();
        for (History.Arrival arrival : history.arrivals()) {
            if (!arrival.target().equals(name)) {
                continue;
            }
            Integer place = places.get(arrival.id());
            if (place == null) {
                strange.add(name + ": message " + arrival.id() + " is not in the log");
            } else if (!seen.add(arrival.id())) {
                again.add(name + ": message " + arrival.id() + " of key " + arrival.key());
            } else {
                int before = reached.getOrDefault(arrival.key(), 0);
                if (place != before + 1) {
                    overtaken.add(name + ": message " + place + " of key " + arrival.key() + " came after " + before);
                }
                reached.merge(arrival.key(), place, Math::max);
            }
        }
        List<String> lost = new ArrayList<>();
        keys.forEach((id, key) -> {
            if (!seen.contains(id)) {
                lost.add(name + ": message " + id + " of key " + key);
            }
        });
        add(Invariant.I1, lost);
        add(Invariant.I7, strange);
        add(Invariant.I7, overtaken);
        if (exactlyOnce || again.size() > expected.again) {
            add(Invariant.I7, again);
        }
    }

    private void epochs() {
        List<String> late = new ArrayList<>();
        Map<Long, String> holders = new HashMap<>();
        long highest = 0;
        for (History.Guarded row : history.guarded()) {
            if (row.epoch() < highest) {
                late.add(row.who() + " wrote in epoch " + row.epoch() + " after epoch " + highest);
            }
            highest = Math.max(highest, row.epoch());
            String holder = holders.putIfAbsent(row.epoch(), row.who());
            if (holder != null && !holder.equals(row.who())) {
                late.add("epoch " + row.epoch() + " belonged to " + holder + " and to " + row.who());
            }
        }
        add(Invariant.I4, late);
    }

    private void checkpoints() {
        Map<String, History.Sample> latest = new HashMap<>();
        List<String> back = new ArrayList<>();
        for (History.Sample sample : history.samples()) {
            History.Sample before = latest.put(sample.subscription() + "/" + sample.lane(), sample);
            if (before != null && (sample.position() < before.position() || sample.epoch() < before.epoch())) {
                back.add(sample.subscription() + ", lane " + sample.lane() + ": from position " + before.position()
                        + ", epoch " + before.epoch() + " to " + sample.position() + ", epoch " + sample.epoch());
            }
        }
        add(Invariant.I5, back);
    }

    private void add(Invariant invariant, List<String> cases) {
        if (!cases.isEmpty()) {
            String more = cases.size() > SHOWN ? "; and " + (cases.size() - SHOWN) + " more" : "";
            found.add(new Violation(
                    invariant, String.join("; ", cases.subList(0, Math.min(SHOWN, cases.size()))) + more));
        }
    }
}
