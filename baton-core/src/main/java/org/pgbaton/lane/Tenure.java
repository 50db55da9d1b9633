package org.pgbaton.lane;

import org.jspecify.annotations.Nullable;
import org.pgbaton.session.Session;

/**
 * One spell of owning a lane.
 *
 * @param position the checkpoint, read after the lock was ours
 * @param session whose life is the lock's; null if it is owned without a lock, by the epoch alone
 */
public record Tenure(
        CheckpointId checkpoint,
        long epoch,
        long position,
        String timeline,
        @Nullable Session session) {
    public boolean isTrusted() {
        return session == null || session.isTrusted();
    }
}
