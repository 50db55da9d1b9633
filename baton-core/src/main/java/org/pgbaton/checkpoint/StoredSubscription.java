package org.pgbaton.checkpoint;

import java.util.List;
import java.util.Map;
import org.pgbaton.lane.CheckpointId;
import org.pgbaton.lane.StoredAside;

/**
 * A subscription as it is stored. A member reads it after an operator did something, and after trouble: in one transaction, positions
 * before keys that are set aside.
 */
public record StoredSubscription(
        StoredState state, Map<CheckpointId, CheckpointRow> checkpoints, List<StoredAside> aside) {
    /** It could not be read. */
    public static final StoredSubscription UNKNOWN =
            new StoredSubscription(new StoredState("unknown", null), Map.of(), List.of());

    public boolean isKnown() {
        return !state.equals(UNKNOWN.state);
    }
}
