package org.pgbaton.dashboard.look;

import java.time.Instant;

/**
 * How far a subscription was at one moment.
 *
 * @param mean of the positions of its lanes
 * @param end of its log
 * @param lagSeconds how long the oldest waiting message had waited
 */
public record Sample(Instant at, double mean, long end, long behind, double lagSeconds) {}
