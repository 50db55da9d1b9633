package org.pgbaton.schedule;

import java.util.Locale;

/** What happens with due times at which nothing could be run: no process was there, or the run before was still going on. */
public enum Missed {
    /** They are not run; the schedule goes on with the next due time. */
    SKIP,
    /** One run for all of them, as soon as somebody can run it. It counts as the run of the latest. */
    ONCE;

    String stored() {
        return name().toLowerCase(Locale.ROOT);
    }
}
