package org.pgbaton.checkpoint;

import org.jspecify.annotations.Nullable;
import org.pgbaton.handling.LaneGroup;
import org.pgbaton.lane.CheckpointId;

/**
 * A checkpoint, as it is stored.
 *
 * @param owner who took it last; null if it was given back
 */
public record CheckpointRow(
        CheckpointId id,
        LaneGroup group,
        long position,
        long epoch,
        @Nullable String owner) {}
