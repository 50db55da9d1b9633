package org.pgbaton.pgoutput;

import java.util.HashMap;
import java.util.Map;

/** The types that one stream has named so far, beside PostgreSQL's own, which it never names. Not thread-safe. */
final class ColumnTypes {
    private final Map<Long, ColumnType> named = new HashMap<>();
    private final ArrayDelimiters delimiters;

    ColumnTypes(ArrayDelimiters delimiters) {
        this.delimiters = delimiters;
    }

    /**
     * A type as the stream describes it. For a type that is not PostgreSQL's own the stream gives only the name. The name of an array begins
     * with an underscore; the type of its elements is not given, so they are text.
     */
    ColumnType describe(long oid, String schema, String name) {
        if (schema.equals(ColumnType.CATALOG)) {
            ColumnType same = BuiltInTypes.byName(name);
            return same == null
                    ? new ColumnType(oid, schema, name, JsonForm.TEXT, (char) 0)
                    : new ColumnType(oid, schema, name, same.form(), same.delimiter());
        }
        return new ColumnType(oid, schema, name, JsonForm.TEXT, name.startsWith("_") ? delimiters.of(oid) : (char) 0);
    }

    void add(ColumnType type) {
        named.put(type.oid(), type);
    }

    /** Text, if nobody knows the type. */
    ColumnType byOid(long oid) {
        ColumnType described = named.get(oid);
        ColumnType known = described == null ? BuiltInTypes.byOid(oid) : described;
        return known == null ? new ColumnType(oid, ColumnType.CATALOG, "type " + oid, JsonForm.TEXT, (char) 0) : known;
    }
}
