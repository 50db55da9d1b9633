package org.pgbaton.chaos;

import java.util.Locale;

/** What a {@link WorkerProgram} does. */
enum Part {
    /** Leads, and writes under its guard. */
    LEADERSHIP,
    /** A projection in order for each key. */
    PROJECTION,
    /** A projection in total order. */
    TOTAL,
    /** A relay to the {@link Endpoint}. */
    WEBHOOK;

    static final String JOB = "job";

    String subscription() {
        return name().toLowerCase(Locale.ROOT);
    }
}
