package org.pgbaton.leadership;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How a bid for leadership ended. That somebody else leads, or that it was done recently, is an answer, not an error. */
public sealed interface LeadershipAttempt {
    /** We lead. */
    record Leading(Term leading) implements LeadershipAttempt {}

    /**
     * Somebody else leads.
     *
     * @param holder who, or null if it went away while we looked
     */
    record Held(@Nullable Holder holder) implements LeadershipAttempt {}

    /**
     * Nobody leads, but it is too soon: see {@link Leadership#atMostEvery} and {@link Leadership#atLeastFor}. All times are by
     * the database's clock.
     *
     * @param began when the run began that keeps us from running
     * @param by who ran it
     * @param endedWell whether that run is known to have ended well
     * @param next the earliest moment of the next run
     */
    record NotNow(Instant began, String by, boolean endedWell, Instant next) implements LeadershipAttempt {
        @Override
        public String toString() {
            return (endedWell ? "done by " : "tried by ") + by + ", who began at " + began + "; not again before "
                    + next;
        }
    }

    /** The term, if we lead. */
    default Optional<Term> term() {
        return this instanceof Leading won ? Optional.of(won.leading()) : Optional.empty();
    }
}
