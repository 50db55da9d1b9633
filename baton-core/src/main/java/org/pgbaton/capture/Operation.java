package org.pgbaton.capture;

import java.util.Locale;

/** What happened to a row, or to a whole table. */
public enum Operation {
    INSERT,
    UPDATE,
    DELETE,
    /** Of the whole table: it is told to every lane, so that every key comes to know of it in order. */
    TRUNCATE,
    /** Nothing happened: a row that was there before the capture, sent because somebody asked for it. */
    READ;

    /** As PostgreSQL and the change's JSON write it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
