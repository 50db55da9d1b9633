package org.pgbaton.pgoutput;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A row of a message. It records where each value stands in the message's bytes; nothing is copied or converted before somebody asks for it.
 * Immutable, as long as nobody changes the message.
 *
 * <p>A column is in one of four states. It has a value; or it is NULL; or it is <em>unchanged</em>: a large value that the update did not touch, so
 * that PostgreSQL does not send it; or it is <em>absent</em>: the replica identity gives only the key of an old row.
 */
public final class Row {
    static final int NULL = -1;
    static final int UNCHANGED = -2;
    static final int ABSENT = -3;

    private final Relation relation;
    private final byte[] bytes;
    /** For each column where its text starts and its length, or one of the constants above in place of the length. */
    private final int[] spans;

    private final boolean keyOnly;

    Row(Relation relation, byte[] bytes, int[] spans, boolean keyOnly) {
        this.relation = relation;
        this.bytes = bytes;
        this.spans = spans;
        this.keyOnly = keyOnly;
    }

    public Relation relation() {
        return relation;
    }

    /** Whether this is an old row with nothing but the columns of the replica identity. */
    public boolean isKeyOnly() {
        return keyOnly;
    }

    /** Whether the column's value is known; it may be NULL. */
    public boolean has(String column) {
        return length(column) >= NULL;
    }

    public boolean isNull(String column) {
        return length(column) == NULL;
    }

    public boolean isUnchanged(String column) {
        return length(column) == UNCHANGED;
    }

    /** PostgreSQL's text of the value; null if the value is NULL or not known. */
    public @Nullable String text(String column) {
        int place = relation.place(column);
        return place < 0 || length(place) < 0 ? null : text(place);
    }

    /** The type of a column, or null if the table has none of this name. */
    public @Nullable ColumnType type(String column) {
        Column found = relation.column(column);
        return found == null ? null : found.type();
    }

    /** The value in JSON; null if it is not known. */
    public @Nullable String json(String column) {
        int place = relation.place(column);
        if (place < 0 || length(place) < NULL) {
            return null;
        }
        JsonBuffer json = new JsonBuffer();
        write(json, place);
        return json.text();
    }

    private int length(String column) {
        int place = relation.place(column);
        return place < 0 ? ABSENT : length(place);
    }

    int length(int place) {
        return spans[2 * place + 1];
    }

    private String text(int place) {
        return new String(bytes, spans[2 * place], length(place), StandardCharsets.UTF_8);
    }

    boolean isSame(Row other, int place) {
        int length = length(place);
        if (length != other.length(place)) {
            return false;
        }
        int from = spans[2 * place];
        int otherFrom = other.spans[2 * place];
        for (int i = 0; i < length; i++) {
            if (bytes[from + i] != other.bytes[otherFrom + i]) {
                return false;
            }
        }
        return true;
    }

    /** Takes unchanged values from the old row of the same message, if that has them. Only before anybody else sees this row. */
    Row completedBy(Row old) {
        for (int i = 0; i < spans.length; i += 2) {
            if (spans[i + 1] == UNCHANGED && old.spans[i + 1] >= NULL) {
                spans[i] = old.spans[i];
                spans[i + 1] = old.spans[i + 1];
            }
        }
        return this;
    }

    /** Writes an object with all values that are known. */
    void write(JsonBuffer json, @Nullable Set<String> only) {
        json.raw('{');
        boolean first = true;
        for (int i = 0; i < relation.columns().size(); i++) {
            if (length(i) >= NULL && relation.shows(i, only)) {
                if (!first) {
                    json.raw(',');
                }
                first = false;
                json.raw(relation.label(i));
                write(json, i);
            }
        }
        json.raw('}');
    }

    /** Writes {@code ,"unchanged":[…]} with the names of the unchanged columns; nothing if there are none. */
    void writeUnchanged(JsonBuffer json, @Nullable Set<String> only) {
        boolean first = true;
        for (int i = 0; i < relation.columns().size(); i++) {
            if (length(i) == UNCHANGED && relation.shows(i, only)) {
                json.raw(first ? ",\"unchanged\":[" : ",");
                first = false;
                json.string(relation.columns().get(i).name());
            }
        }
        if (!first) {
            json.raw(']');
        }
    }

    private void write(JsonBuffer json, int place) {
        int length = length(place);
        if (length == NULL) {
            json.raw("null");
        } else {
            int from = spans[2 * place];
            relation.columns().get(place).type().write(json, bytes, from, from + length);
        }
    }

    @Override
    public String toString() {
        JsonBuffer json = new JsonBuffer();
        write(json, (Set<String>) null);
        return json.text();
    }
}
