package org.pgbaton.wal;

import java.util.HashMap;
import java.util.Map;
import org.pgbaton.pgoutput.ArrayDelimiters;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Sql;

/** Asks the catalog for the delimiter of an array type, once for each type. A type that was dropped since gets a comma. Not thread-safe. */
final class CatalogDelimiters implements ArrayDelimiters {
    private final DatabaseAccess database;
    private final Sql sql;
    private final Map<Long, Character> known = new HashMap<>();

    CatalogDelimiters(DatabaseAccess database) {
        this.database = database;
        this.sql = new Sql(database.schema());
    }

    @Override
    public char of(long type) {
        return known.computeIfAbsent(type, this::ask);
    }

    private char ask(long type) {
        return database.call("look at a type of array", connection -> {
            String found = sql.first(connection, CaptureSql.DELIMITER, row -> row.getString(1), type);
            return found == null ? ',' : found.charAt(0);
        });
    }
}
