package org.pgbaton.dashboard.look;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A change of leader, or of the owner of lanes.
 *
 * @param what the leadership or the subscription
 * @param lanes how many lanes changed their owner; 0 for a leadership
 * @param from null if it is unknown
 * @param took how long nobody did the work, of lanes at most; null if it is unknown
 */
public record Takeover(
        Instant at,
        String what,
        int lanes,
        @Nullable String from,
        String to,
        @Nullable Duration took,
        long epoch) {}
