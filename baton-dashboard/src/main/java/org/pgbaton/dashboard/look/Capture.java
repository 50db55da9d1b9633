package org.pgbaton.dashboard.look;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A capture, as the view {@code capture_status} shows it.
 *
 * @param gaps that nobody has settled
 */
public record Capture(
        String name,
        String state,
        String log,
        List<String> tables,
        List<String> operations,
        String publication,
        boolean ownPublication,
        String slot,
        @Nullable String reader,
        @Nullable Long epoch,
        long changes,
        @Nullable Instant changedAt,
        @Nullable String walStatus,
        @Nullable Long safeBytes,
        @Nullable Long retainedBytes,
        @Nullable Long behindBytes,
        @Nullable String problem,
        @Nullable Instant problemSince,
        @Nullable String warning,
        int gaps,
        Instant createdAt) {}
