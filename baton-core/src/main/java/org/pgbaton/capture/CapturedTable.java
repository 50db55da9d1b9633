package org.pgbaton.capture;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A table to capture, with its options. Immutable.
 *
 * <pre>{@code
 * CapturedTable alerts = CapturedTable.named("public.alert").columns("id", "portfolio", "text").key("portfolio");
 * baton.capture("alerts").table(alerts).start();
 * }</pre>
 *
 * @param name as in SQL: {@code public.alert}, {@code "Odd.Schema"."My Table"}; without a schema it is found by the search path
 * @param columns the columns that a change shows; empty for all
 * @param where a row filter in SQL, from PostgreSQL 15 on
 * @param key the columns that make the key; empty for those of the capture, or else the primary key
 */
public record CapturedTable(
        String name, List<String> columns, @Nullable String where, List<String> key) {
    /** Refuses a table without a name, and a filter that is more than one expression. */
    public CapturedTable {
        if (name.isBlank()) {
            throw new IllegalArgumentException("A table to capture needs a name, such as public.alert.");
        }
        if (where != null && where.contains(";")) {
            throw new IllegalArgumentException(
                    "The row filter of " + name + " has a semicolon: give one SQL expression.");
        }
        columns = List.copyOf(columns);
        key = List.copyOf(key);
    }

    /** With all columns and rows. */
    public static CapturedTable named(String name) {
        return new CapturedTable(name, List.of(), null, List.of());
    }

    /** With only these columns. */
    public CapturedTable columns(String... only) {
        return new CapturedTable(name, List.of(only), where, key);
    }

    /** With only the rows for which the expression is true. */
    public CapturedTable where(String expression) {
        return new CapturedTable(name, columns, expression, key);
    }

    /** With these columns as the key. */
    public CapturedTable key(String... of) {
        return new CapturedTable(name, columns, where, List.of(of));
    }
}
