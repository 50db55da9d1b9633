package org.pgbaton.subscription;

/** What a handler's failure means. */
public enum Verdict {
    /** Try the message again, with growing pauses; park its key after some attempts. The default. */
    RETRY,
    /** The message itself is the trouble: park its key at once. */
    PARK,
    /** The whole target is away: pause, and try again without end and without counting attempts. */
    OUTAGE,
    /** Stop the subscription, everywhere, until somebody resumes it. */
    STOP
}
