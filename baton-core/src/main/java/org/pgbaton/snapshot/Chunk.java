package org.pgbaton.snapshot;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.pgbaton.pgoutput.Change;
import org.pgbaton.pgoutput.DecodeException;
import org.pgbaton.pgoutput.Operation;
import org.pgbaton.pgoutput.Row;
import org.pgbaton.publication.KeyColumns;
import org.pgbaton.publication.PublishedTable;

/** Rows of a table that were read and wait until the slot has told all changes that may be newer. Not thread-safe. */
final class Chunk {
    private final String word = UUID.randomUUID().toString();
    private final PublishedTable table;
    private final KeyColumns primaryKey;

    /** By the text of the primary key, in its order. */
    private final Map<String, Row> rows;

    private final @Nullable List<String> lastKey;
    private final boolean isLast;

    Chunk(
            PublishedTable table,
            KeyColumns primaryKey,
            Map<String, Row> rows,
            @Nullable List<String> lastKey,
            boolean isLast) {
        this.table = table;
        this.primaryKey = primaryKey;
        this.rows = rows;
        this.lastKey = lastKey;
        this.isLast = isLast;
    }

    /** The word that the slot has to repeat before the rows may follow. */
    String word() {
        return word;
    }

    List<Row> rows() {
        return List.copyOf(rows.values());
    }

    /** The primary key of the last row that was read; null if there was none. */
    @Nullable
    List<String> lastKey() {
        return lastKey;
    }

    /** Whether there are no more rows after it. */
    boolean isLast() {
        return isLast;
    }

    /**
     * Removes the row of a change: the change is at least as new.
     *
     * @return false if nobody can say which row it was, so that the chunk must be read again
     */
    boolean remove(Change change) {
        if (change.relation().oid() != table.oid()) {
            return true;
        }
        if (change.operation() == Operation.TRUNCATE) {
            rows.clear();
            return true;
        }
        List<String> key = primaryKey.in(change.relation());
        try {
            for (Change each : change.changesKey(key) ? change.asDeleteAndInsert() : List.of(change)) {
                rows.remove(each.key(key));
            }
            return true;
        } catch (DecodeException keyIsMissing) {
            return false;
        }
    }
}
