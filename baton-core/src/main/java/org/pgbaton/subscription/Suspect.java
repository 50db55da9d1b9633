package org.pgbaton.subscription;

import java.time.Duration;

/**
 * From this message on its key is to be set aside.
 *
 * @param pause for {@link Verdict#LATER}
 */
record Suspect(long position, Verdict verdict, String error, Duration pause) {
    Suspect(long position, Verdict verdict, String error) {
        this(position, verdict, error, Duration.ZERO);
    }
}
