package org.pgbaton.capture;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.HashMap;
import java.util.Map;
import org.pgbaton.capture.pgoutput.Decoder;
import org.pgbaton.session.Database;

/** Asks the catalog, once for each type. One that is gone by now has a comma, like nearly all. Not thread-safe. */
final class ArrayDelimiters implements Decoder.Delimiters {
    private final Database database;
    private final Map<Long, Character> known = new HashMap<>();

    ArrayDelimiters(Database database) {
        this.database = database;
    }

    @Override
    public char of(long type) {
        return known.computeIfAbsent(type, this::ask);
    }

    private char ask(long type) {
        return database.call("look at a type of array", connection -> {
            try (PreparedStatement select = connection.prepareStatement(CaptureSql.DELIMITER)) {
                select.setLong(1, type);
                try (ResultSet row = select.executeQuery()) {
                    return row.next() ? row.getString(1).charAt(0) : ',';
                }
            }
        });
    }
}
