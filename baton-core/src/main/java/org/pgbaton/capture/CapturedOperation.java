package org.pgbaton.capture;

import java.util.Locale;

/** A kind of change that a capture can be asked for. */
public enum CapturedOperation {
    /** A new row. */
    INSERT,
    /** A row that changed. */
    UPDATE,
    /** A row that is gone. */
    DELETE,
    /** Of the whole table: every lane of the log gets a message, so that every key learns of it in order. */
    TRUNCATE;

    /** The word that PostgreSQL and the JSON of a change use. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
