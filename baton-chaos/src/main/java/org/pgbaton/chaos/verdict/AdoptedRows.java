package org.pgbaton.chaos.verdict;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.pgbaton.chaos.history.History;

/**
 * Whether every row of an adopted table was handled once, by the old relay or by Baton, and after those of its key that were written before.
 * An operator may skip a row that has become a message. Pure functions.
 *
 * @param lost rows that nobody handled
 * @param twice rows that were handled more than once
 * @param invented what was handled and is not in the table
 * @param overtaken rows that were not handled right after the one before them
 */
record AdoptedRows(List<String> lost, List<String> twice, List<String> invented, List<String> overtaken) {
    static AdoptedRows judge(History.Adoption adoption) {
        Map<History.Row, Integer> places = new HashMap<>();
        Map<String, Integer> next = new HashMap<>();
        for (History.Row row : adoption.rows()) {
            places.put(row.by(""), next.merge(row.key(), 1, Integer::sum));
        }
        AdoptedRows judged =
                new AdoptedRows(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        Set<String> skipped = new HashSet<>();
        adoption.skipped().forEach(row -> skipped.add(row.key() + '/' + places.get(row)));
        Set<History.Row> seen = new HashSet<>();
        Map<String, Integer> reached = new HashMap<>();
        for (History.Row each : adoption.handled()) {
            Integer place = places.get(each.by(""));
            if (place == null) {
                judged.invented.add(told(each) + " is not in the table");
            } else if (!seen.add(each.by(""))) {
                judged.twice.add(told(each));
            } else {
                int before = reached.getOrDefault(each.key(), 0);
                while (skipped.contains(each.key() + '/' + (before + 1)) && before + 1 < place) {
                    before++;
                }
                if (place != before + 1) {
                    judged.overtaken.add(told(each) + " is number " + place + " of its key, and came after " + before);
                }
                reached.merge(each.key(), place, Math::max);
            }
        }
        adoption.rows().stream()
                .filter(row -> !seen.contains(row.by("")) && !adoption.skipped().contains(row))
                .forEach(row -> judged.lost.add(told(row)));
        return judged;
    }

    private static String told(History.Row row) {
        return "adoption: row " + row.number() + " of key " + row.key()
                + (row.by().isEmpty() ? "" : " by " + row.by());
    }
}
