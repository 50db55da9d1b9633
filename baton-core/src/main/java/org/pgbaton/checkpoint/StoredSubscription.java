package org.pgbaton.checkpoint;

import java.util.List;
import java.util.Map;
import org.pgbaton.lane.StoredAside;

/**
 * What a member must know after an operator did something, or after trouble. It is read in one transaction, positions before keys that are
 * set aside.
 */
public record StoredSubscription(StoredState state, Map<Integer, CheckpointRow> checkpoints, List<StoredAside> aside) {
    /** What is stored could not be read. */
    public static final StoredSubscription UNKNOWN =
            new StoredSubscription(new StoredState("unknown", null), Map.of(), List.of());

    public boolean isKnown() {
        return !state.equals(UNKNOWN.state);
    }
}
