package org.pgbaton.pgoutput;

/**
 * The type of a column: what is needed to turn the text of its values into JSON. Immutable.
 *
 * @param oid for a domain, the domain's own; schema and name are those of its base type
 * @param name as the catalog has it: {@code int4}, {@code _int4} for an array of them
 * @param form of a value, or of the elements if this is an array
 * @param delimiter between the elements of an array; 0 if this is not an array
 */
public record ColumnType(long oid, String schema, String name, JsonForm form, char delimiter) {
    static final String CATALOG = "pg_catalog";

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
