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
    STOP,
    /** Nothing is wrong, but this key is not to be handled before the pause is over: it is set aside so long. No attempt is counted. */
    LATER,
    /** Nothing is wrong, but the whole target is to be left alone for the pause. No attempt is counted. */
    PAUSE;

    /** Whether it is not the message's fault: the others would fare alike. */
    public boolean isOfTheWholeTarget() {
        return this == OUTAGE || this == STOP || this == PAUSE;
    }
}
