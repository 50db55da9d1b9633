package org.pgbaton.pgoutput;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.replication.LogSequenceNumber;

/**
 * A change of one row, or the truncation of a table. Immutable.
 *
 * @param transaction the one that made it
 * @param ordinal its number in the transaction, from 1
 * @param before the old row, as far as the replica identity gives it
 * @param after the new row; before and after are both null if the table was truncated
 */
public record Change(
        WalMessage.Begin transaction,
        long ordinal,
        Relation relation,
        Operation operation,
        @Nullable Row before,
        @Nullable Row after) {

    static Change truncate(WalMessage.Begin transaction, long ordinal, Relation relation) {
        return new Change(transaction, ordinal, relation, Operation.TRUNCATE, null, null);
    }

    /** Schema and name with a dot. */
    public String table() {
        return relation.table();
    }

    /** Where in the WAL the transaction committed. */
    public LogSequenceNumber lsn() {
        return transaction.finalLsn();
    }

    public Instant committedAt() {
        return transaction.committedAt();
    }

    /** The new row, or for a delete the old one; null for a truncate. */
    public @Nullable Row row() {
        return after != null ? after : before;
    }

    /**
     * Whether the value of a column has changed; null if that is unknown, because the replica identity does not give the old value. In an insert
     * or a delete every column has changed.
     */
    public @Nullable Boolean changed(String column) {
        if (before == null && after == null) {
            return null;
        }
        int place = relation.place(column);
        if (place < 0) {
            return null;
        }
        if (operation != Operation.UPDATE || after == null) {
            return true;
        }
        if (after.length(place) == Row.UNCHANGED) {
            return false;
        }
        if (before != null && before.length(place) >= Row.NULL) {
            return !after.isSame(before, place);
        }
        return relation.columns().get(place).key() ? false : null;
    }

    /**
     * The text of the key, from {@link #row}: see {@link RowKey}.
     *
     * @return null for a truncate, or if the key is one column and that is NULL
     * @throws DecodeException if the row does not have one of the columns
     */
    public @Nullable String key(List<String> columns) {
        Row row = row();
        return row == null ? null : RowKey.of(row, columns);
    }

    /**
     * Whether an update has changed the key. Such an update becomes {@link #asDeleteAndInsert}, so that readers of the old key learn that it is
     * gone. Reliable only if {@link Relation#identifies} the columns; a change that cannot be seen does not count.
     */
    public boolean changesKey(List<String> columns) {
        if (operation != Operation.UPDATE || before == null) {
            return false;
        }
        for (String column : columns) {
            if (before.has(column) && Objects.equals(changed(column), true)) {
                return true;
            }
        }
        return false;
    }

    /** The update as two changes with the same number: the old row is deleted, the new one inserted. */
    public List<Change> asDeleteAndInsert() {
        List<Change> two = new ArrayList<>();
        two.add(new Change(transaction, ordinal, relation, Operation.DELETE, before, null));
        two.add(new Change(transaction, ordinal, relation, Operation.INSERT, null, after));
        return two;
    }

    /** With all columns. */
    public String toJson() {
        return toJson(null);
    }

    /** @param only the columns to show; null for all */
    public String toJson(@Nullable Set<String> only) {
        JsonBuffer json = new JsonBuffer();
        writeTo(json, only);
        return json.text();
    }

    /**
     * Adds an object to the buffer: {@code table}, {@code operation}, {@code before}, {@code after}, {@code lsn}, {@code committedAt}. If there are
     * unchanged columns, {@code unchanged} has their names, and {@code after} does not have them.
     *
     * @param only the columns to show; null for all
     */
    public void writeTo(JsonBuffer json, @Nullable Set<String> only) {
        json.raw(relation.head());
        json.raw(operation.word());
        json.raw("\",\"before\":");
        write(json, before, only);
        json.raw(",\"after\":");
        write(json, after, only);
        if (after != null) {
            after.writeUnchanged(json, only);
        }
        json.raw(",\"lsn\":");
        json.lsn(lsn().asLong());
        json.raw(",\"committedAt\":");
        json.instant(committedAt());
        json.raw('}');
    }

    private static void write(JsonBuffer json, @Nullable Row row, @Nullable Set<String> only) {
        if (row == null) {
            json.raw("null");
        } else {
            row.write(json, only);
        }
    }

    @Override
    public String toString() {
        return "change " + ordinal + " at " + lsn().asString() + ": " + operation.word() + " of " + table();
    }
}
