package org.pgbaton.capture;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A capture as the database sees it: the view {@code capture_status}.
 *
 * @param state running, waiting (for somebody to read), paused, stopped (see the problem), lost (its slot is)
 * @param changes in the log so far
 * @param changedAt when the last of them was committed
 * @param owner who reads; null if nobody does
 * @param safeBytes how much more WAL may be written before the server gives the slot up; null if it never does
 * @param retainedBytes of WAL that the server keeps for the slot
 * @param behindBytes of WAL that the slot has not passed
 * @param warning what whoever reads wants people to know; null: nothing
 * @param gaps that nobody has settled: see {@link Captures#gaps}
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
