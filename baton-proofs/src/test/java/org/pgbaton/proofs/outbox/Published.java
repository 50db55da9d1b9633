package org.pgbaton.proofs.outbox;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.pgbaton.testkit.TestDatabase;

/**
 * Compares what arrived with what was written: nothing lost, nothing overtaken, and, where that is promised, nothing twice.
 *
 * @param written how many there should be
 * @param lost how many never arrived
 * @param strange how many arrived that nobody wrote
 * @param again how many arrivals were not the first of their message
 * @param overtaken how many first arrivals came after a later message of the same key
 */
record Published(int written, int lost, int strange, int again, int overtaken) {
    /** A message, as it arrived. */
    record Arrival(String key, String id) {}

    /** The messages in a table, by key, in order. */
    static Map<String, List<String>> written(TestDatabase database, String keysAndIdsInOrder) throws SQLException {
        Map<String, List<String>> written = new LinkedHashMap<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(keysAndIdsInOrder)) {
            while (row.next()) {
                written.computeIfAbsent(row.getString(1), key -> new ArrayList<>())
                        .add(row.getString(2));
            }
        }
        return written;
    }

    static Published compare(Map<String, List<String>> written, List<Arrival> arrived) {
        Map<String, Integer> places = new HashMap<>();
        written.values().forEach(ids -> {
            for (int i = 0; i < ids.size(); i++) {
                places.put(ids.get(i), i);
            }
        });
        Set<String> seen = new HashSet<>();
        Map<String, Integer> furthest = new HashMap<>();
        int strange = 0;
        int again = 0;
        int overtaken = 0;
        for (Arrival each : arrived) {
            Integer place = places.get(each.id);
            if (place == null) {
                strange++;
            } else if (!seen.add(each.id)) {
                again++;
            } else {
                overtaken += place < furthest.getOrDefault(each.key, -1) ? 1 : 0;
                furthest.merge(each.key, place, Math::max);
            }
        }
        return new Published(places.size(), places.size() - seen.size(), strange, again, overtaken);
    }

    boolean isExactlyOnceInOrder() {
        return isInOrder() && again == 0;
    }

    /** Checks first arrivals; some messages may come again. */
    boolean isInOrder() {
        return lost == 0 && strange == 0 && overtaken == 0;
    }
}
