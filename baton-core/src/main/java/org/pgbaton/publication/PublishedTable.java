package org.pgbaton.publication;

import java.util.List;
import org.pgbaton.capture.CapturedTable;

/**
 * A captured table as it is in the database, found to be fit for a capture. Immutable.
 *
 * @param request how the user described it
 * @param quoted its full name, ready for SQL
 * @param key the columns that make the key
 * @param isKeyPrimary whether that is the primary key, because the user chose no other
 * @param sent its columns as a publication sends them: in their order, without generated ones
 * @param identity the columns of an old row that an UPDATE or DELETE tells; with {@code REPLICA IDENTITY FULL} all columns
 */
public record PublishedTable(
        CapturedTable request,
        long oid,
        String schema,
        String name,
        String quoted,
        List<String> key,
        boolean isKeyPrimary,
        List<String> sent,
        List<String> identity) {

    /** Schema and name with a dot, without quotes. */
    public String plain() {
        return schema + "." + name;
    }
}
