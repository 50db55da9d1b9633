package org.pgbaton.leadership;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How often a job runs, however many ask for it. The database's clock judges, and the leadership's row remembers.
 *
 * <p>A run is a term. It ended well if {@link Term#done} was said before it was closed.
 *
 * @param atMostEvery not before this has passed since the start of the last run that ended well; null: whenever nobody leads
 * @param atLeastFor nobody with a pace begins before this has passed since the start of our run, however that ends; null: at once
 */
record Pace(@Nullable Duration atMostEvery, @Nullable Duration atLeastFor) {
    static final Pace ANY = new Pace(null, null);

    private static final Duration LEAST = Duration.ofMillis(1);
    private static final Duration MOST = Duration.ofDays(366);

    Pace {
        requireSensible("atMostEvery", atMostEvery);
        requireSensible("atLeastFor", atLeastFor);
    }

    private static void requireSensible(String what, @Nullable Duration value) {
        if (value != null && (value.compareTo(LEAST) < 0 || value.compareTo(MOST) > 0)) {
            throw new IllegalArgumentException(what + " " + value
                    + " makes no sense: give 1 ms to 366 days; without it a run may begin at any time.");
        }
    }

    Pace atMostEvery(Duration every) {
        return new Pace(every, atLeastFor);
    }

    Pace atLeastFor(Duration rest) {
        return new Pace(atMostEvery, rest);
    }

    boolean isAny() {
        return atMostEvery == null && atLeastFor == null;
    }
}
