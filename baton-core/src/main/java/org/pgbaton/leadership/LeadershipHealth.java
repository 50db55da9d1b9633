package org.pgbaton.leadership;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows, without asking the database, about its part in a leadership. Standing by is healthy.
 *
 * @param epoch 0 while standing by
 * @param sinceHeartbeat since the last round trip of a leader; null while standing by
 * @param problem null if there is none
 */
public record LeadershipHealth(
        String leadership,
        LeadershipState state,
        long epoch,
        @Nullable Duration sinceHeartbeat,
        @Nullable String problem) {
    /** Whether there is no problem. */
    public boolean isHealthy() {
        return problem == null;
    }

    /** The same with another problem, or none. */
    public LeadershipHealth withProblem(@Nullable String other) {
        return new LeadershipHealth(leadership, state, epoch, sinceHeartbeat, other);
    }
}
