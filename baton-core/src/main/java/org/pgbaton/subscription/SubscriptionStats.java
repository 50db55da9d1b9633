package org.pgbaton.subscription;

import java.time.Duration;

/**
 * What a subscription has done in this process, and how it is now. Counts only grow.
 *
 * @param handled messages
 * @param batchTime spent in all batches together
 * @param failures of the handler
 * @param setAside how often a key was set aside
 * @param rebalances how often lanes were taken or given back
 * @param fenced how often a lane turned out to be somebody else's
 * @param lanes owned now
 * @param behind positions between our slowest lane and the end of the log
 * @param keysAside set aside now, in our lanes, the parked among them
 * @param keysParked waiting for an operator now
 */
public record SubscriptionStats(
        long handled,
        long batches,
        Duration batchTime,
        long failures,
        long setAside,
        long rebalances,
        long fenced,
        int lanes,
        long behind,
        int keysAside,
        int keysParked) {}
