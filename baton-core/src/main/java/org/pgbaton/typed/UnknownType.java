package org.pgbaton.typed;

/** What to do with a message whose type has no handler. */
public enum UnknownType {
    /** Park its key, until there is a program that knows the type, or an operator skips the message. The default. */
    PARK,
    /** Pass over it, as if it had been handled. */
    SKIP,
    /** Stop the subscription, everywhere, until somebody resumes it. */
    STOP
}
