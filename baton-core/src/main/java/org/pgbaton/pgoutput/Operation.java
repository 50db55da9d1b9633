package org.pgbaton.pgoutput;

import java.util.Locale;

/** The kind of a change, as its JSON says it. */
public enum Operation {
    INSERT,
    UPDATE,
    DELETE,
    /** The whole table was truncated. */
    TRUNCATE,
    /** Not a change: an existing row, sent because somebody asked for a snapshot. */
    READ;

    /** The word that PostgreSQL and the JSON of a change use. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
