package org.pgbaton.lane;

/**
 * A key that is set aside, as it is stored.
 *
 * @param parked whether it waits for an operator
 */
public record StoredAside(CheckpointId checkpoint, String key, boolean parked, int attempts, long waitNanos) {}
