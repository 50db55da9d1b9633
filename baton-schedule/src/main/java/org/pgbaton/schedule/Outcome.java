package org.pgbaton.schedule;

import java.util.Locale;

/** How a run ended. */
public enum Outcome {
    /** It goes on. */
    RUNNING,
    /** The duty returned. */
    DONE,
    /** The duty threw something. */
    FAILED,
    /** The process that ran it was lost. Nobody knows how far the duty came; it is not run again for this due time. */
    LOST,
    /** It was not run. */
    MISSED;

    static Outcome ofStored(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }

    String stored() {
        return name().toLowerCase(Locale.ROOT);
    }
}
