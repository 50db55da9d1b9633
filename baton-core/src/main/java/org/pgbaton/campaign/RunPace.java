package org.pgbaton.campaign;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.pgbaton.leadership.Term;

/**
 * How often a job runs, however many ask for it. The database's clock judges, and the leadership's row remembers.
 *
 * <p>A run is a term. It ended well if {@link Term#done} was said before it was closed.
 *
 * @param atMostEvery not before this has passed since the start of the last run that ended well; null: whenever nobody leads
 * @param atLeastFor nobody with a pace begins before this has passed since the start of our run, however that ends; null: at once
 */
record RunPace(@Nullable Duration atMostEvery, @Nullable Duration atLeastFor) {
    static final RunPace ANY = new RunPace(null, null);

    private static final Duration LEAST = Duration.ofMillis(1);
    private static final Duration MOST = Duration.ofDays(366);

    RunPace {
        requireSensible("atMostEvery", atMostEvery);
        requireSensible("atLeastFor", atLeastFor);
    }

    private static void requireSensible(String what, @Nullable Duration value) {
        if (value != null && (value.compareTo(LEAST) < 0 || value.compareTo(MOST) > 0)) {
            throw new IllegalArgumentException(what + " " + value
                    + " makes no sense: give 1 ms to 366 days; without it a run may begin at any time.");
        }
    }

    RunPace atMostEvery(Duration every) {
        return new RunPace(every, atLeastFor);
    }

    RunPace atLeastFor(Duration rest) {
        return new RunPace(atMostEvery, rest);
    }

    boolean isAny() {
        return atMostEvery == null && atLeastFor == null;
    }
}
