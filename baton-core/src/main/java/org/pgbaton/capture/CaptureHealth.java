package org.pgbaton.capture;

import org.jspecify.annotations.Nullable;

/**
 * How this process's part in a capture is doing. Standing by is healthy, and so is being paused.
 *
 * @param reading whether this process is the one that reads
 * @param changes written to the log by this process, so far
 * @param retainedBytes of WAL that the server keeps for the slot, as last seen by the one that reads
 * @param problem why nothing is read, in words; null if there is none
 * @param warning what will become a problem, in words; null if nothing will
 */
public record CaptureHealth(
        String name,
        boolean reading,
        long changes,
        long retainedBytes,
        @Nullable String problem,
        @Nullable String warning) {
    public boolean isHealthy() {
        return problem == null && warning == null;
    }

    CaptureHealth withProblem(@Nullable String other) {
        return new CaptureHealth(name, reading, changes, retainedBytes, other, warning);
    }
}
