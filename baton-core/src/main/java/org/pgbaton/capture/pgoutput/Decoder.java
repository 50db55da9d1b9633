package org.pgbaton.capture.pgoutput;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Understands {@code pgoutput}, protocol version 1, values as text.
 *
 * <p>One decoder for one stream, from its start: the server describes a table once, before its first change, and again when it has changed, and
 * all that a row's bytes mean comes from these descriptions, never from the catalog, which may be further on by now. They are all that a decoder
 * keeps. A row refers to its message's bytes: the buffer must not be used again while the row is.
 *
 * <p>The text of a value depends on settings of the replication connection; {@link #SETTINGS} must have been run on it, and on every connection
 * whose values are to look the same.
 *
 * <p>Not thread-safe; what it returns is.
 */
public final class Decoder {
    /** What makes the text of a value the same everywhere and always. */
    public static final List<String> SETTINGS = List.of(
            "SET DateStyle = 'ISO, MDY'",
            "SET TimeZone = 'UTC'",
            "SET IntervalStyle = 'postgres'",
            "SET bytea_output = 'hex'",
            "SET extra_float_digits = 1",
            "SET lc_monetary = 'C'");

    /** What the stream does not say of an array type that is not PostgreSQL's own. It never changes. */
    @FunctionalInterface
    public interface Delimiters {
        /** Between the elements; for nearly all types a comma. */
        char of(long type);
    }

    /** A column's description takes at least: flags, the end of its name, two numbers. */
    private static final int SMALLEST_COLUMN = 10;

    private final Map<Long, Relation> relations = new HashMap<>();
    private final Map<Long, ColumnType> types = new HashMap<>();
    private @Nullable Relation last;
    private final Delimiters delimiters;

    /** Takes a comma for granted between the elements of arrays. */
    public Decoder() {
        this(type -> ',');
    }

    public Decoder(Delimiters delimiters) {
        this.delimiters = delimiters;
    }

    /**
     * @param message from its position to its limit, which stay
     * @throws DecodeException if it is none; the decoder is as before then
     */
    public WalMessage decode(ByteBuffer message) {
        Cursor in = new Cursor(message);
        byte type = in.int8();
        WalMessage decoded = switch (type) {
            case 'B' -> new WalMessage.Begin(in.lsn(), in.instant(), in.oid());
            case 'C' -> commit(in);
            case 'O' -> new WalMessage.Origin(in.lsn(), in.string());
            case 'R' -> relation(in);
            case 'Y' -> new WalMessage.Type(ColumnType.named(in.oid(), schema(in), in.string(), delimiters));
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
        if (decoded instanceof Relation relation) {
            relations.put(relation.oid(), relation);
            last = relation;
        } else if (decoded instanceof WalMessage.Type named) {
            types.put(named.type().oid(), named.type());
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
            columns.add(new Column(column, type, in.int32(), key, type(type)));
        }
        return new Relation(oid, schema, name, identity, columns);
    }

    private ColumnType type(long oid) {
        ColumnType named = types.get(oid);
        ColumnType known = named == null ? BuiltInTypes.byOid(oid) : named;
        return known == null ? new ColumnType(oid, ColumnType.CATALOG, "type " + oid, Form.TEXT, (char) 0) : known;
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
            // Of a key the server sends the other columns too, as NULL.
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

    /** Checked against what is left, before memory is taken for so many. */
    private static int count(Cursor in, int count, int smallest, String what) {
        if (count < 0 || count > in.left() / smallest) {
            throw in.broken(count + " " + what + " are announced, more than what is left can hold");
        }
        return count;
    }
}
