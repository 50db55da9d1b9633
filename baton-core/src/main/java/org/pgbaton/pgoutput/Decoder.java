package org.pgbaton.pgoutput;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decodes {@code pgoutput}, protocol version 1, with values as text.
 *
 * <p>Use one decoder for one stream, from its start. The server describes a table before its first change, and again after the table was altered.
 * The decoder takes the meaning of a row's bytes from these descriptions and never from the catalog, which may have changed since. It keeps nothing
 * but the descriptions. A row refers to the bytes of its message: do not reuse the buffer while the row is in use.
 *
 * <p>The text of a value depends on settings of the replication connection. Run {@link #SETTINGS} on it, and on every connection whose values must
 * look the same.
 *
 * <p>Not thread-safe; the messages that it returns are.
 */
public final class Decoder {
    /** With these settings the text of a value is the same on every connection. */
    public static final List<String> SETTINGS = List.of(
            "SET DateStyle = 'ISO, MDY'",
            "SET TimeZone = 'UTC'",
            "SET IntervalStyle = 'postgres'",
            "SET bytea_output = 'hex'",
            "SET extra_float_digits = 1",
            "SET lc_monetary = 'C'");

    /** The fewest bytes of a column's description: flags, the end of its name, two numbers. */
    private static final int SMALLEST_COLUMN = 10;

    private final Map<Long, Relation> relations = new HashMap<>();
    private final ColumnTypes types;
    private @Nullable Relation last;

    /** Assumes a comma between the elements of every array. */
    public Decoder() {
        this(type -> ',');
    }

    public Decoder(ArrayDelimiters delimiters) {
        this.types = new ColumnTypes(delimiters);
    }

    /**
     * @param message from its position to its limit, which stay as they are
     * @throws DecodeException if it is not a message of {@code pgoutput}; the decoder is then unchanged
     */
    public WalMessage decode(ByteBuffer message) {
        Cursor in = new Cursor(message);
        byte type = in.int8();
        WalMessage decoded = switch (type) {
            case 'B' -> new WalMessage.Begin(in.lsn(), in.instant(), in.oid());
            case 'C' -> commit(in);
            case 'O' -> new WalMessage.Origin(in.lsn(), in.string());
            case 'R' -> new WalMessage.Description(relation(in));
            case 'Y' -> new WalMessage.Type(types.describe(in.oid(), schema(in), in.string()));
            case 'I' -> insert(in);
            case 'U' -> update(in);
            case 'D' -> delete(in);
            case 'T' -> truncate(in);
            case 'M' -> emitted(in);
            default -> throw in.broken("there is no such type");
        };
        in.expectEnd();
        remember(decoded);
        return decoded;
    }

    private void remember(WalMessage decoded) {
        if (decoded instanceof WalMessage.Description description) {
            relations.put(description.relation().oid(), description.relation());
            last = description.relation();
        } else if (decoded instanceof WalMessage.Type named) {
            types.add(named.type());
        }
    }

    private static WalMessage commit(Cursor in) {
        byte flags = in.int8();
        if (flags != 0) {
            throw in.broken("a commit has the unknown flags " + flags);
        }
        return new WalMessage.Commit(in.lsn(), in.lsn(), in.instant());
    }

    /** The stream leaves out the name of the catalog's own schema. */
    private static String schema(Cursor in) {
        String name = in.string();
        return name.isEmpty() ? ColumnType.CATALOG : name;
    }

    private Relation relation(Cursor in) {
        long oid = in.oid();
        String schema = schema(in);
        String name = in.string();
        ReplicaIdentity identity = switch (in.int8()) {
            case 'd' -> ReplicaIdentity.DEFAULT;
            case 'n' -> ReplicaIdentity.NOTHING;
            case 'f' -> ReplicaIdentity.FULL;
            case 'i' -> ReplicaIdentity.INDEX;
            default -> throw in.broken("stands an unknown replica identity");
        };
        int count = count(in, in.int16(), SMALLEST_COLUMN, "columns");
        List<Column> columns = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            boolean key = (in.int8() & 1) != 0;
            String column = in.string();
            long type = in.oid();
            columns.add(new Column(column, type, in.int32(), key, types.byOid(type)));
        }
        return new Relation(oid, schema, name, identity, columns);
    }

    private WalMessage insert(Cursor in) {
        Relation relation = known(in);
        byte kind = in.int8();
        if (kind != 'N') {
            throw in.broken("a new row should follow, not " + Cursor.shown(kind));
        }
        return new WalMessage.Insert(relation, row(in, relation, false));
    }

    private WalMessage update(Cursor in) {
        Relation relation = known(in);
        byte kind = in.int8();
        if (kind == 'N') {
            return new WalMessage.Update(relation, null, row(in, relation, false));
        }
        Row before = old(in, relation, kind);
        kind = in.int8();
        if (kind != 'N') {
            throw in.broken("a new row should follow, not " + Cursor.shown(kind));
        }
        return new WalMessage.Update(relation, before, row(in, relation, false).completedBy(before));
    }

    private WalMessage delete(Cursor in) {
        Relation relation = known(in);
        return new WalMessage.Delete(relation, old(in, relation, in.int8()));
    }

    private static Row old(Cursor in, Relation relation, byte kind) {
        if (kind != 'K' && kind != 'O') {
            throw in.broken("an old row or its key should follow, not " + Cursor.shown(kind));
        }
        return row(in, relation, kind == 'K');
    }

    private Relation known(Cursor in) {
        return known(in, in.oid());
    }

    private Relation known(Cursor in, long oid) {
        Relation relation = last;
        if (relation == null || relation.oid() != oid) {
            relation = relations.get(oid);
            last = relation;
        }
        if (relation == null) {
            throw in.broken("table number " + oid + " is mentioned, which has not been described");
        }
        return relation;
    }

    private static Row row(Cursor in, Relation relation, boolean keyOnly) {
        int count = in.int16();
        if (count != relation.columns().size()) {
            throw in.broken("a row of " + relation.table() + " has " + count + " columns, but the table has "
                    + relation.columns().size());
        }
        int[] spans = new int[2 * count];
        for (int i = 0; i < count; i++) {
            byte kind = in.int8();
            switch (kind) {
                case 't' -> {
                    int length = in.int32();
                    spans[2 * i] = in.at();
                    in.skip(length, "a value");
                    spans[2 * i + 1] = length;
                }
                case 'n' -> spans[2 * i + 1] = Row.NULL;
                case 'u' -> spans[2 * i + 1] = Row.UNCHANGED;
                case 'b' -> throw in.broken("a value is in binary form, which was not asked for");
                default -> throw in.broken("a value is of the unknown kind " + Cursor.shown(kind));
            }
            // If only the key is given, the server sends all other columns as NULL.
            if (keyOnly && !relation.columns().get(i).key()) {
                spans[2 * i + 1] = Row.ABSENT;
            }
        }
        return new Row(relation, in.bytes(), spans, keyOnly);
    }

    private WalMessage truncate(Cursor in) {
        int count = in.int32();
        byte options = in.int8();
        count(in, count, 4, "tables");
        Relation[] truncated = new Relation[count];
        for (int i = 0; i < count; i++) {
            truncated[i] = known(in);
        }
        return new WalMessage.Truncate(List.of(truncated), (options & 1) != 0, (options & 2) != 0);
    }

    private static WalMessage emitted(Cursor in) {
        boolean transactional = (in.int8() & 1) != 0;
        var lsn = in.lsn();
        String prefix = in.string();
        int length = in.int32();
        int from = in.at();
        in.skip(length, "the content");
        return new WalMessage.Emitted(
                transactional,
                lsn,
                prefix,
                ByteBuffer.wrap(in.bytes(), from, length).slice().asReadOnlyBuffer());
    }

    /** Checks the number against the bytes that are left, before memory is allocated for that many. */
    private static int count(Cursor in, int count, int smallest, String what) {
        if (count < 0 || count > in.left() / smallest) {
            throw in.broken(count + " " + what + " are announced, more than what is left can hold");
        }
        return count;
    }
}
