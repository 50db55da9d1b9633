package org.pgbaton.pgoutput;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A table as it was when the changes after its description were made; the catalog may have changed since. Immutable, thread-safe.
 *
 * <p>If the publication has a column list, or the table has generated columns, some of the table's columns are missing here.
 */
public final class Relation {
    private final long oid;
    private final String schema;
    private final String name;
    private final ReplicaIdentity replicaIdentity;
    private final List<Column> columns;

    private final Map<String, Integer> places = new HashMap<>();
    private final byte[] head;
    private final byte[][] labels;

    Relation(long oid, String schema, String name, ReplicaIdentity replicaIdentity, List<Column> columns) {
        this.oid = oid;
        this.schema = schema;
        this.name = name;
        this.replicaIdentity = replicaIdentity;
        this.columns = List.copyOf(columns);
        this.labels = new byte[columns.size()][];
        JsonBuffer json = new JsonBuffer();
        for (int i = 0; i < labels.length; i++) {
            places.put(columns.get(i).name(), i);
            json.clear().string(columns.get(i).name());
            json.raw(':');
            labels[i] = json.bytes();
        }
        json.clear().raw("{\"table\":");
        json.string(table());
        json.raw(",\"operation\":\"");
        head = json.bytes();
    }

    public long oid() {
        return oid;
    }

    public String schema() {
        return schema;
    }

    public String name() {
        return name;
    }

    /** Schema and name with a dot, without quotes. */
    public String table() {
        return schema + "." + name;
    }

    public ReplicaIdentity replicaIdentity() {
        return replicaIdentity;
    }

    public List<Column> columns() {
        return columns;
    }

    /** The column of this name, or null. */
    public @Nullable Column column(String name) {
        int place = place(name);
        return place < 0 ? null : columns.get(place);
    }

    /**
     * The columns of the replica identity: the primary key, or the chosen index. With {@link ReplicaIdentity#FULL} all columns, because then
     * the stream does not say which the primary key is.
     */
    public List<String> identity() {
        List<String> names = new ArrayList<>();
        for (Column column : columns) {
            if (column.key()) {
                names.add(column.name());
            }
        }
        return names;
    }

    /** Whether every update that changes one of these columns, and every delete, comes with their old values. */
    public boolean identifies(List<String> names) {
        for (String each : names) {
            Column column = column(each);
            if (column == null || !column.key()) {
                return false;
            }
        }
        return true;
    }

    int place(String column) {
        Integer place = places.get(column);
        return place == null ? -1 : place;
    }

    /** The beginning of a change's JSON, up to the operation. */
    byte[] head() {
        return head;
    }

    /** The name of a column in JSON, with its colon. */
    byte[] label(int place) {
        return labels[place];
    }

    /** @param only null for all */
    boolean shows(int place, @Nullable Set<String> only) {
        return only == null || only.contains(columns.get(place).name());
    }

    @Override
    public String toString() {
        return "relation " + table() + " " + columns;
    }
}
