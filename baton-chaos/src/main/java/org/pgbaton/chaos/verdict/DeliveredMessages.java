package org.pgbaton.chaos.verdict;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.pgbaton.chaos.history.History;
import org.pgbaton.chaos.targets.Arrival;

/**
 * Whether every message of the log arrived at a target, and after those of its key that were written before. Pure functions.
 *
 * @param lost messages that did not arrive, and that nobody skipped
 * @param strange what arrived and is not in the log
 * @param overtaken messages that did not arrive right after the one before them
 * @param again messages that had arrived already
 * @param movedBack whether an operator asked for messages again
 */
record DeliveredMessages(
        List<String> lost, List<String> strange, List<String> overtaken, List<String> again, boolean movedBack) {
    static DeliveredMessages judge(History history, String target) {
        return new Judge(history, target).judge();
    }

    /** Where the messages of each key belong, and how far each key has come. */
    private static final class Judge {
        private final History history;
        private final String target;
        private final Operations operations;
        private final Map<String, History.Written> written = new LinkedHashMap<>();
        /** The number of a message among those of its key, by id. */
        private final Map<String, Integer> places = new HashMap<>();
        /** Places that were ever skipped, by key. */
        private final Map<String, Set<Integer>> holes = new HashMap<>();

        private final Map<String, Integer> reached = new HashMap<>();
        private final Set<String> seen = new HashSet<>();
        private final List<String> strange = new ArrayList<>();
        private final List<String> overtaken = new ArrayList<>();
        private final List<String> again = new ArrayList<>();

        Judge(History history, String target) {
            this.history = history;
            this.target = target;
            this.operations = new Operations(history, target);
            Map<String, Integer> next = new HashMap<>();
            Set<Long> everSkipped = operations.everSkipped();
            for (History.Written row : history.written(target)) {
                int place = next.merge(row.key(), 1, Integer::sum);
                places.put(row.id(), place);
                written.put(row.id(), row);
                if (everSkipped.contains(row.position())) {
                    holes.computeIfAbsent(row.key(), key -> new HashSet<>()).add(place);
                }
            }
        }

        DeliveredMessages judge() {
            history.arrivals().stream()
                    .filter(arrival -> arrival.target().equals(target))
                    .forEach(this::arrived);
            return new DeliveredMessages(lost(), strange, overtaken, again, operations.movedBack());
        }

        private void arrived(Arrival arrival) {
            Integer place = places.get(arrival.id());
            if (place == null) {
                strange.add(target + ": message " + arrival.id() + " is not in the log");
            } else if (!seen.add(arrival.id())) {
                again.add(target + ": message " + arrival.id() + " of key " + arrival.key());
            } else {
                arrivedFirst(arrival.key(), place);
            }
        }

        private void arrivedFirst(String key, int place) {
            int before = reached.getOrDefault(key, 0);
            Set<Integer> skipped = holes.getOrDefault(key, Set.of());
            int awaited = before + 1;
            while (awaited < place && skipped.contains(awaited)) {
                awaited++;
            }
            // A message that was skipped and asked for again may arrive after those behind it.
            if (place != awaited && !(operations.movedBack() && skipped.contains(place))) {
                overtaken.add(target + ": message " + place + " of key " + key + " came after " + before);
            }
            reached.merge(key, place, Math::max);
        }

        private List<String> lost() {
            List<String> lost = new ArrayList<>();
            Set<Long> skipped = operations.skipped();
            written.forEach((id, row) -> {
                if (!seen.contains(id) && !skipped.contains(row.position())) {
                    lost.add(target + ": message " + id + " of key " + row.key());
                }
            });
            return lost;
        }
    }
}
