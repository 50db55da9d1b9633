package org.pgbaton.capture;

import org.jspecify.annotations.Nullable;

/**
 * The health of a capture in this process. Standing by is healthy, and so is being paused.
 *
 * @param reading whether this process is the one that reads
 * @param changes that this process has written to the log so far
 * @param retainedBytes of WAL that the server keeps for the slot, as last seen by this process if it reads, else 0
 * @param problem why nothing is read, in words; null if there is none
 * @param warning what may become a problem, in words; null if there is none
 */
public record CaptureHealth(
        String name,
        boolean reading,
        long changes,
        long retainedBytes,
        @Nullable String problem,
        @Nullable String warning) {
    /** Whether there is neither a problem nor a warning. */
    public boolean isHealthy() {
        return problem == null && warning == null;
    }
}
