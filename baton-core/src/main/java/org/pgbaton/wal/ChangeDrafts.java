package org.pgbaton.wal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Log;
import org.pgbaton.pgoutput.Change;
import org.pgbaton.pgoutput.Operation;
import org.pgbaton.pgoutput.Row;
import org.pgbaton.pgoutput.WalMessage;
import org.pgbaton.publication.CapturePlan;
import org.pgbaton.publication.KeyColumns;
import org.pgbaton.publication.PublishedTable;

/** Turns changes into messages for the log. The same change always becomes the same message. Not thread-safe. */
final class ChangeDrafts {
    private final CapturePlan plan;
    private final Map<Long, PublishedTable> byNumber = new HashMap<>();
    private final Map<String, PublishedTable> byName = new HashMap<>();
    private final Map<PublishedTable, @Nullable Set<String>> columns = new HashMap<>();
    private final Map<PublishedTable, KeyColumns> keys = new HashMap<>();
    private final List<String> laneKeys;
    private final ChangeIds ids;

    ChangeDrafts(CapturePlan plan, List<PublishedTable> tables, Log log, ChangeIds ids) {
        this.plan = plan;
        for (PublishedTable table : tables) {
            byNumber.put(table.oid(), table);
            byName.put(table.plain(), table);
            List<String> only = table.request().columns();
            columns.put(table, only.isEmpty() ? null : Set.copyOf(only));
            keys.put(table, KeyColumns.of(table));
        }
        this.laneKeys = laneKeys(log);
        this.ids = ids;
    }

    /** A key for each lane, for messages that concern all of them. */
    private static List<String> laneKeys(Log log) {
        String[] keys = new String[log.lanes()];
        int missing = keys.length;
        for (int i = 0; missing > 0; i++) {
            String key = "truncate-" + i;
            int lane = log.laneOf(key);
            if (keys[lane] == null) {
                keys[lane] = key;
                missing--;
            }
        }
        return List.of(keys);
    }

    /** None if the change is not wanted; two if the key has changed. */
    List<Draft> of(Change change) {
        PublishedTable table = wanted(change);
        if (table == null) {
            return List.of();
        }
        if (!change.changesKey(keyOf(table, change))) {
            return List.of(draft(change, table, 0));
        }
        List<Draft> two = new ArrayList<>();
        for (Change half : change.asDeleteAndInsert()) {
            two.add(draft(half, table, two.size()));
        }
        return two;
    }

    private Draft draft(Change change, PublishedTable table, int part) {
        Draft draft = withoutKey(change, change.toJson(columns.get(table)), part);
        String key = change.key(keyOf(table, change));
        return key == null ? draft : draft.key(key);
    }

    private Draft withoutKey(Change change, String json, int part) {
        return Draft.json(json)
                .type(change.table() + "." + change.operation().word())
                .id(ids.of(change.committedAt(), change.lsn().asLong(), change.ordinal(), part));
    }

    private List<String> keyOf(PublishedTable table, Change change) {
        KeyColumns key = keys.get(table);
        return key == null ? table.key() : key.in(change.relation());
    }

    /** Existing rows, at the place where the slot repeated the word of their chunk. */
    List<Draft> ofExisting(List<Row> rows, PublishedTable table, WalMessage.Begin begin, long ordinal) {
        List<Draft> all = new ArrayList<>();
        for (Row row : rows) {
            all.add(draft(new Change(begin, ordinal, row.relation(), Operation.READ, null, row), table, all.size()));
        }
        return all;
    }

    /** One for each lane, since it concerns every key. */
    List<Draft> ofTruncate(Change change) {
        if (wanted(change) == null) {
            return List.of();
        }
        String json = change.toJson();
        List<Draft> all = new ArrayList<>();
        for (String key : laneKeys) {
            all.add(withoutKey(change, json, all.size()).key(key));
        }
        return all;
    }

    /** The table by its number, or by the name that it had then: it may have been created again. Null if the change is not wanted. */
    private @Nullable PublishedTable wanted(Change change) {
        if (!plan.operations().contains(change.operation())) {
            return null;
        }
        PublishedTable table = byNumber.get(change.relation().oid());
        return table == null ? byName.get(change.table()) : table;
    }

    /** The key of a logical message is the second part of its prefix: 42 in {@code orders/42}. */
    List<Draft> of(WalMessage.Emitted emitted, WalMessage.Begin within, long ordinal) {
        String wanted = plan.messages();
        String prefix = emitted.prefix();
        if (wanted == null || !(prefix.equals(wanted) || prefix.startsWith(wanted + "/"))) {
            return List.of();
        }
        return List.of(payload(emitted)
                .type("message")
                .id(ids.of(within.committedAt(), within.finalLsn().asLong(), ordinal, 0))
                .key(prefix.equals(wanted) ? wanted : prefix.substring(wanted.length() + 1)));
    }

    private static Draft payload(WalMessage.Emitted emitted) {
        try {
            return Draft.json(emitted.text());
        } catch (IllegalArgumentException notJson) {
            return Draft.bytes(emitted.bytes());
        }
    }
}
