package org.pgbaton.publication;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgbaton.pgoutput.Relation;
import org.pgbaton.pgoutput.ReplicaIdentity;

/**
 * The names that the key columns of a table had at the time of a change. They come from the description that the stream gives of the table,
 * since columns may have been renamed in the catalog since. Not thread-safe.
 */
public final class KeyColumns {
    private final PublishedTable table;
    private final List<String> key;
    private final boolean isPrimary;

    private @Nullable Relation last;
    private List<String> lastKey = List.of();

    private KeyColumns(PublishedTable table, List<String> key, boolean isPrimary) {
        this.table = table;
        this.key = key;
        this.isPrimary = isPrimary;
    }

    /** The key of the messages about this table. */
    public static KeyColumns of(PublishedTable table) {
        return new KeyColumns(table, table.key(), table.isKeyPrimary());
    }

    public static KeyColumns ofPrimaryKey(PublishedTable table, List<String> primaryKey) {
        return new KeyColumns(table, primaryKey, true);
    }

    /** If the description does not have these columns, today's names: who asks for their values then learns that they are missing. */
    public List<String> in(Relation relation) {
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

    /** The stream has key columns in the order of the table, which renaming does not change. The key has its own order. */
    private List<String> inOrderOfKey(List<String> then) {
        List<String> sorted = new ArrayList<>(table.sent());
        sorted.retainAll(key);
        if (sorted.size() != key.size()) {
            return then;
        }
        return key.stream().map(column -> then.get(sorted.indexOf(column))).toList();
    }

    /** If only names of key columns differ, the order of the columns tells which is which. */
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
