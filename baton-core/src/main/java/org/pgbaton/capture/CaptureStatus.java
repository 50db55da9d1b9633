package org.pgbaton.capture;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A capture, as the view {@code capture_status} shows it.
 *
 * @param state running, waiting (nobody reads), paused, stopped (see the problem), lost (the server has given up the slot)
 * @param changes in the log so far
 * @param changedAt when the latest of them was committed
 * @param owner who reads; null if nobody does
 * @param safeBytes how much more WAL may be written before the server gives up the slot; null if it never does
 * @param retainedBytes of WAL that the server keeps for the slot
 * @param behindBytes of WAL that the slot has not passed
 * @param warning what may become a problem, as the reader sees it; null if there is none
 * @param gaps the number of gaps that nobody has settled: see {@link Captures#gaps}
 */
public record CaptureStatus(
        String name,
        String state,
        String log,
        List<String> tables,
        List<String> operations,
        String publication,
        boolean ownPublication,
        String slot,
        long changes,
        @Nullable Instant changedAt,
        @Nullable String owner,
        @Nullable Long epoch,
        @Nullable String walStatus,
        @Nullable Long safeBytes,
        @Nullable Long retainedBytes,
        @Nullable Long behindBytes,
        @Nullable String problem,
        @Nullable Instant problemSince,
        Instant createdAt,
        @Nullable String warning,
        int gaps) {}
