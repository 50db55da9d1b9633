package org.pgbaton.http;

import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells an endpoint that hangs from a message that makes it hang. If several messages were not answered in time, and
 * none was answered since, the endpoint hangs. A single message proves nothing, however often it is tried. Thread-safe.
 */
final class SilentEndpoint {
    private final BooleanSupplier othersWait;
    private final Runnable onSilence;

    // Guarded by this.
    private long brokenAt = System.nanoTime();
    private @Nullable UUID unanswered;
    private boolean general;

    /**
     * @param othersWait whether other requests are in flight
     * @param onSilence is called when a request that was sent is not answered in time
     */
    SilentEndpoint(BooleanSupplier othersWait, Runnable onSilence) {
        this.othersWait = othersWait;
        this.onSilence = onSilence;
    }

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
     * @return whether the endpoint answers nobody
     */
    boolean isGeneral(UUID message, long since) {
        onSilence.run();
        return isGeneral(message, since, othersWait.getAsBoolean());
    }

    private synchronized boolean isGeneral(UUID message, long since, boolean others) {
        if (brokenAt - since >= 0) {
            return false;
        }
        general |= others || (unanswered != null && !unanswered.equals(message));
        unanswered = message;
        return general;
    }
}
