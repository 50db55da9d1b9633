package org.pgbaton.capture;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.pgoutput.Change;
import org.pgbaton.capture.pgoutput.Row;
import org.pgbaton.capture.pgoutput.WalMessage;
import org.pgbaton.log.Draft;

/**
 * Turns changes into messages. The same change always becomes the same message, with the same id, however often it comes and whoever
 * reads it.
 */
final class Drafting {
    private final Plan plan;
    private final Map<Long, Table> byNumber = new HashMap<>();
    private final Map<String, Table> byName = new HashMap<>();
    private final Map<Table, @Nullable Set<String>> columns = new HashMap<>();
    private final Map<Table, KeyColumns> keys = new HashMap<>();
    private final List<String> keyOfLane;
    private final byte[] source;
    private final MessageDigest digest = md5();

    Drafting(Plan plan, Groundwork.Ground ground) {
        this.plan = plan;
        for (Table table : ground.tables()) {
            byNumber.put(table.oid(), table);
            byName.put(table.plain(), table);
            List<String> only = table.wish().columns();
            columns.put(table, only.isEmpty() ? null : Set.copyOf(only));
            keys.put(table, KeyColumns.of(table));
        }
        this.keyOfLane = keys(ground.log().lanes(), ground.log()::laneOf);
        this.source = (ground.system() + "/" + plan.slot()).getBytes(StandardCharsets.UTF_8);
    }

    /** A key of each lane, for what all of them must be told. */
    private static List<String> keys(int lanes, ToIntFunction<String> laneOf) {
        String[] keys = new String[lanes];
        int missing = lanes;
        for (int i = 0; missing > 0; i++) {
            String key = "truncate-" + i;
            int lane = laneOf.applyAsInt(key);
            if (keys[lane] == null) {
                keys[lane] = key;
                missing--;
            }
        }
        return List.of(keys);
    }

    /** Nothing, if nobody wants it; two messages, if the key has changed. */
    List<Draft> of(Change change) {
        Table table = wanted(change);
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

    private Draft draft(Change change, Table table, int part) {
        Draft draft = Draft.json(change.toJson(columns.get(table)))
                .type(change.table() + "." + change.operation().word())
                .id(id(change.committedAt(), change.lsn().asLong(), change.ordinal(), part));
        String key = change.key(keyOf(table, change));
        return key == null ? draft : draft.key(key);
    }

    private List<String> keyOf(Table table, Change change) {
        KeyColumns columns = keys.get(table);
        return columns == null ? table.key() : columns.in(change.relation());
    }

    /** Rows that nobody changed, at the place where the word was heard that they may follow. */
    List<Draft> ofExisting(List<Row> rows, Table table, WalMessage.Begin begin, long ordinal) {
        List<Draft> all = new ArrayList<>();
        for (Row row : rows) {
            all.add(draft(new Change(begin, ordinal, row.relation(), Operation.READ, null, row), table, all.size()));
        }
        return all;
    }

    /** One to each lane, since it concerns every key. */
    List<Draft> ofTruncate(Change change) {
        if (wanted(change) == null) {
            return List.of();
        }
        String json = change.toJson();
        List<Draft> all = new ArrayList<>();
        for (String key : keyOfLane) {
            all.add(Draft.json(json)
                    .type(change.table() + "." + change.operation().word())
                    .id(id(change.committedAt(), change.lsn().asLong(), change.ordinal(), all.size()))
                    .key(key));
        }
        return all;
    }

    /** The table as it is called now, or, if it was made anew, as it was called then. */
    private @Nullable Table wanted(Change change) {
        if (!plan.operations().contains(change.operation())) {
            return null;
        }
        Table table = byNumber.get(change.relation().oid());
        return table == null ? byName.get(change.table()) : table;
    }

    /** Of the prefix {@code orders/42} the second part is the key. */
    List<Draft> of(WalMessage.Emitted emitted, WalMessage.Begin within, long ordinal) {
        String wanted = plan.messages();
        String prefix = emitted.prefix();
        if (wanted == null || !(prefix.equals(wanted) || prefix.startsWith(wanted + "/"))) {
            return List.of();
        }
        return List.of(payload(emitted)
                .type("message")
                .id(id(within.committedAt(), within.finalLsn().asLong(), ordinal, 0))
                .key(prefix.equals(wanted) ? wanted : prefix.substring(wanted.length() + 1)));
    }

    private static Draft payload(WalMessage.Emitted emitted) {
        try {
            return Draft.json(emitted.text());
        } catch (IllegalArgumentException notJson) {
            return Draft.bytes(emitted.bytes());
        }
    }

    /** A UUID of version 8: first the time, so that the log's index grows at one end, then a hash of where the change stands. */
    private UUID id(Instant at, long lsn, long ordinal, int part) {
        digest.update(source);
        digest.update(ByteBuffer.allocate(20)
                .putLong(lsn)
                .putLong(ordinal)
                .putInt(part)
                .flip());
        ByteBuffer hash = ByteBuffer.wrap(digest.digest());
        long high = (at.toEpochMilli() << 16) | 0x8000 | (hash.getLong() & 0x0fff);
        long low = (hash.getLong() & 0x3fff_ffff_ffff_ffffL) | 0x8000_0000_0000_0000L;
        return new UUID(high, low);
    }

    private static MessageDigest md5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("Every Java has MD5", impossible);
        }
    }
}
