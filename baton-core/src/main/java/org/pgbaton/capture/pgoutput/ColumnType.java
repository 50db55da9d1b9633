package org.pgbaton.capture.pgoutput;

/**
 * A type, as far as its values' text must be understood. Immutable.
 *
 * @param oid of a domain its own; the names are those of its base type
 * @param name as the catalog has it: {@code int4}, {@code _int4} for an array of them
 * @param form of a value; of an array, of its elements
 * @param delimiter between the elements of an array; 0: this is no array
 */
public record ColumnType(long oid, String schema, String name, Form form, char delimiter) {
    static final String CATALOG = "pg_catalog";

    /**
     * A type that the stream has named. All that it says of a type which is not PostgreSQL's own is the name; that of an array begins with an
     * underscore, and what its elements are is not said: they are text.
     *
     * @param delimiters knows what is between the elements of an array
     */
    static ColumnType named(long oid, String schema, String name, Decoder.Delimiters delimiters) {
        if (schema.equals(CATALOG)) {
            ColumnType same = BuiltInTypes.byName(name);
            return same == null
                    ? new ColumnType(oid, schema, name, Form.TEXT, (char) 0)
                    : new ColumnType(oid, schema, name, same.form, same.delimiter);
        }
        return new ColumnType(oid, schema, name, Form.TEXT, name.startsWith("_") ? delimiters.of(oid) : (char) 0);
    }

    public boolean isArray() {
        return delimiter != 0;
    }

    void write(JsonBuffer json, byte[] text, int from, int to) {
        if (isArray()) {
            ArrayText.write(json, form, delimiter, text, from, to);
        } else {
            form.write(json, text, from, to);
        }
    }
}
