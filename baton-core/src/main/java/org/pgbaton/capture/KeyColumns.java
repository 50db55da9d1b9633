package org.pgbaton.capture;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.pgoutput.Relation;
import org.pgbaton.capture.pgoutput.ReplicaIdentity;

/**
 * Which columns make the key of a change, by their names at the time of the change: these are in the description that the stream gives
 * of the table, while the catalog may be further on. Not thread-safe.
 */
final class KeyColumns {
    private final Table table;
    private final List<String> key;
    private final boolean isPrimary;

    private @Nullable Relation last;
    private List<String> lastKey = List.of();

    private KeyColumns(Table table, List<String> key, boolean isPrimary) {
        this.table = table;
        this.key = key;
        this.isPrimary = isPrimary;
    }

    /** Of the messages. */
    static KeyColumns of(Table table) {
        return new KeyColumns(table, table.key(), table.isPrimary());
    }

    static KeyColumns ofPrimaryKey(Table table, List<String> primaryKey) {
        return new KeyColumns(table, primaryKey, true);
    }

    /** If the description has no such columns, today's names: whoever asks for their values is told that they are missing. */
    List<String> in(Relation relation) {
        if (relation != last) {
            lastKey = find(relation);
            last = relation;
        }
        return lastKey;
    }

    private List<String> find(Relation relation) {
        if (isPrimary && relation.replicaIdentity() == ReplicaIdentity.DEFAULT) {
            List<String> then = relation.identity();
            if (!then.isEmpty()) {
                return then.size() == key.size() ? inOrderOfKey(then) : then;
            }
        }
        if (key.stream().allMatch(column -> relation.column(column) != null)) {
            return key;
        }
        List<String> renamed = renamed(relation);
        return renamed == null ? key : renamed;
    }

    /** The stream tells key columns in the order of the table, which no renaming changes; the key has its own order. */
    private List<String> inOrderOfKey(List<String> then) {
        List<String> sorted = new ArrayList<>(table.sent());
        sorted.retainAll(key);
        if (sorted.size() != key.size()) {
            return then;
        }
        return key.stream().map(column -> then.get(sorted.indexOf(column))).toList();
    }

    /** If nothing but names of key columns is different, places tell which is which. */
    private @Nullable List<String> renamed(Relation relation) {
        List<String> now = table.sent();
        if (now.size() != relation.columns().size()) {
            return null;
        }
        Map<String, String> names = new HashMap<>();
        for (int i = 0; i < now.size(); i++) {
            String then = relation.columns().get(i).name();
            if (!then.equals(now.get(i)) && !key.contains(now.get(i))) {
                return null;
            }
            names.put(now.get(i), then);
        }
        return key.stream().map(column -> names.getOrDefault(column, column)).toList();
    }
}
