package org.pgbaton.checkpoint;

import org.jspecify.annotations.Nullable;

/**
 * A checkpoint, as it is stored.
 *
 * @param lane the lane, or the group of lanes; -1 in total order
 */
public record CheckpointRow(
        int id,
        int lane,
        long position,
        long epoch,
        @Nullable String owner) {}
