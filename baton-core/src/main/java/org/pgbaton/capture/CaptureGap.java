package org.pgbaton.capture;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Changes that may be missing from the log: between two places of the WAL, of one table or of all.
 *
 * @param table its full name, as in SQL; null for all tables of the capture
 * @param what the cause, in words
 * @param fromLsn everything before it is in the log; null if unknown
 * @param toLsn everything after it is in the log; null if the gap has not ended
 * @param settledAt when an operator marked it as dealt with; null if not yet
 */
public record CaptureGap(
        int id,
        String capture,
        @Nullable String table,
        String what,
        @Nullable String fromLsn,
        @Nullable Instant from,
        @Nullable String toLsn,
        @Nullable Instant to,
        Instant foundAt,
        @Nullable Instant settledAt,
        @Nullable String settledBy,
        @Nullable String reason) {

    /** Whether no operator has settled it yet. */
    public boolean isOpen() {
        return settledAt == null;
    }

    /** One sentence: what may be missing, why, and from where to where. */
    public String sentence() {
        return "Changes of " + (table == null ? "its tables" : table) + " may be missing from the log of capture '"
                + capture + "', from " + (fromLsn == null ? "an unknown place" : fromLsn + " (" + from + ")") + " to "
                + (toLsn == null ? "now" : toLsn + " (" + to + ")") + ": " + what + ".";
    }

    /** What an operator can do about it. */
    public String advice() {
        return "Send the rows that are there with 'baton captures snapshot " + capture
                + "' (deletes of that time stay unknown), then say 'baton captures settle " + capture + " --reason …'.";
    }
}
