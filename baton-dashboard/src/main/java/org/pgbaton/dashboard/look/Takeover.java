package org.pgbaton.dashboard.look;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A change of leader, or of the owners of lanes.
 *
 * @param what the leadership, or the subscriptions whose lanes they are
 * @param lanes how many lanes changed their owner; 0 for a leadership
 * @param from empty if it is unknown
 * @param handedOver whether the owner before is still alive, and gave the lanes away
 * @param took how long nobody did the work, of lanes at most; null if it is unknown
 */
public record Takeover(
        Instant at,
        String what,
        int lanes,
        List<String> from,
        List<String> to,
        boolean handedOver,
        @Nullable Duration took,
        long epoch) {}
