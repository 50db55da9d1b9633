package org.pgbaton.chaos.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The pairs of scenario and fault that there are, in the order in which a report shows them.
 *
 * @param pairs those that fit together
 */
public record Grid(List<String> scenarios, List<String> faults, Set<Pair> pairs) {
    /** Two names. */
    public record Pair(String scenario, String fault) {}

    public Grid {
        scenarios = List.copyOf(scenarios);
        faults = List.copyOf(faults);
        pairs = Set.copyOf(pairs);
    }

    /** With those that were played once and that nobody knows any more; they come last. */
    Grid with(Set<Pair> played) {
        List<String> rows = new ArrayList<>(scenarios);
        List<String> columns = new ArrayList<>(faults);
        for (Pair pair : played) {
            if (!rows.contains(pair.scenario)) {
                rows.add(pair.scenario);
            }
            if (!columns.contains(pair.fault)) {
                columns.add(pair.fault);
            }
        }
        return new Grid(rows, columns, pairs);
    }
}
