package org.pgbaton.http;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Tells an endpoint that hangs from a message that makes it hang. If several messages were not answered in time, and none was answered
 * since, it is the endpoint. One alone proves nothing, however often it is tried. Thread-safe.
 */
final class Silence {
    // Guarded by this.
    private long brokenAt = System.nanoTime();
    private @Nullable UUID unanswered;
    private boolean general;

    /** Something was answered. */
    synchronized void broken() {
        brokenAt = System.nanoTime();
        unanswered = null;
        general = false;
    }

    /**
     * This message was not answered in time.
     *
     * @param since when it was sent, on the monotonic clock
     * @param othersWait whether others are under way
     * @return whether the endpoint answers nobody
     */
    synchronized boolean isGeneral(UUID message, long since, boolean othersWait) {
        if (brokenAt - since >= 0) {
            return false;
        }
        general |= othersWait || (unanswered != null && !unanswered.equals(message));
        unanswered = message;
        return general;
    }
}
