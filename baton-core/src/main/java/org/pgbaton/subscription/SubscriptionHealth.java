package org.pgbaton.subscription;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How this process's part in a subscription is doing. Owning no lane is healthy if others own them all. So is being paused.
 *
 * @param trouble in words; null if there is none
 * @param targetAway whether the handler or its target was away the last time: until it is back, messages wait, and one is tried now and then
 * @param stuck handlers over their limit, each with its stack
 */
public record SubscriptionHealth(
        String name,
        String target,
        SubscriptionState state,
        int lanes,
        @Nullable String trouble,
        boolean targetAway,
        List<String> stuck) {
    /** Whether it does what it was told to do. */
    public boolean isHealthy() {
        return switch (state) {
            case STARTING, RUNNING, STANDBY -> trouble == null && stuck.isEmpty();
            case PAUSED, RETIRED, SKIPPED, CLOSED -> true; // somebody wanted it so
            case SUSPENDED, STOPPED, FENCED -> false;
        };
    }
}
