package org.pgbaton.embedded;

/** How a server is stopped. */
public enum StopMode {
    /** Ends all sessions, rolls their transactions back and writes a checkpoint: the next start is quick. */
    FAST,

    /** Ends all processes at once, as a crash would: the next start recovers from the write-ahead log. */
    IMMEDIATE
}
