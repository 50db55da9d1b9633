package org.pgbaton.handling;

import java.time.Duration;
import org.pgbaton.subscription.Verdict;

/**
 * From this message on its key is to be set aside.
 *
 * @param pause for {@link Verdict#LATER}
 */
public record Suspect(long position, Verdict verdict, String error, Duration pause) {
    public Suspect(long position, Verdict verdict, String error) {
        this(position, verdict, error, Duration.ZERO);
    }
}
