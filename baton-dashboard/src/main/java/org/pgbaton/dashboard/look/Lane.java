package org.pgbaton.dashboard.look;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A lane of a subscription, or a group of lanes.
 *
 * @param number −1 stands for all of them, in total order
 * @param owner null if nobody owns it
 * @param ownedSince null if nobody owns it
 * @param advancedAt when its checkpoint moved last
 * @param waitingSince when the oldest message was written that waits; null if none does
 * @param heldBackBy open transactions for which it waits; null if there are none
 * @param lockedBy a stranger that holds its lock; null if there is none
 */
public record Lane(
        int subscription,
        int number,
        long position,
        long epoch,
        @Nullable String owner,
        @Nullable Instant ownedSince,
        Instant advancedAt,
        @Nullable Instant waitingSince,
        @Nullable String heldBackBy,
        @Nullable String lockedBy) {}
