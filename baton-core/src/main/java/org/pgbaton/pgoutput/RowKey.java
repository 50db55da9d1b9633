package org.pgbaton.pgoutput;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The key of a row as text. The key of one column is its text. The key of several columns is a JSON array of their texts, so that
 * ('a,b', 'c') and ('a', 'b,c') are different keys. A key of more than 1000 bytes is too long for a log: {@code sha256:} and its hash stand for it.
 */
public final class RowKey {
    private static final int LONGEST = 1000;

    private RowKey() {}

    /**
     * @return null if the key is one column and that is NULL
     * @throws DecodeException if the row does not have one of the columns
     */
    public static @Nullable String of(Row row, List<String> columns) {
        if (columns.isEmpty()) {
            throw new DecodeException("The key of " + row.relation().table()
                    + " has no columns: give the table a primary key, or name the columns of its key.");
        }
        for (String column : columns) {
            if (!row.has(column)) {
                throw missing(row, column);
            }
        }
        String key = columns.size() == 1 ? row.text(columns.get(0)) : array(row, columns);
        return key == null || key.length() <= LONGEST / 3 ? key : shortened(key);
    }

    private static String array(Row row, List<String> columns) {
        JsonBuffer json = new JsonBuffer();
        for (int i = 0; i < columns.size(); i++) {
            json.raw(i == 0 ? '[' : ',');
            String text = row.text(columns.get(i));
            if (text == null) {
                json.raw("null");
            } else {
                json.string(text);
            }
        }
        json.raw(']');
        return json.text();
    }

    private static String shortened(String key) {
        byte[] utf8 = key.getBytes(StandardCharsets.UTF_8);
        if (utf8.length <= LONGEST) {
            return key;
        }
        try {
            return "sha256:"
                    + HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(utf8));
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("Every Java has SHA-256", impossible);
        }
    }

    private static DecodeException missing(Row row, String column) {
        String table = row.relation().table();
        if (row.relation().column(column) == null) {
            return new DecodeException("Column " + column + " of the key of " + table
                    + " is not in the change: the table did not have it then, or the publication leaves it out.");
        }
        return new DecodeException(
                "The change does not tell column " + column + " of the key of " + table
                        + ", because it is not part of the table's replica identity: choose a key from it, or ALTER TABLE … REPLICA IDENTITY FULL.");
    }
}
