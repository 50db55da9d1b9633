package org.pgbaton.wal;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongSupplier;
import org.pgbaton.capture.Capture;
import org.pgbaton.capture.CaptureException;
import org.pgbaton.capture.CaptureStatus;
import org.pgbaton.capture.CapturedTable;
import org.pgbaton.publication.CapturePlan;
import org.pgbaton.session.LineLogger;
import org.slf4j.Logger;

/**
 * Waits until a capture has begun: its slot exists and, if this process reads, everything is prepared. Changes that are committed afterwards are
 * captured. If another process reads, the capture has begun there.
 */
final class CaptureStart {
    private static final Logger log = LineLogger.of(CaptureStart.class);
    private static final Duration WARN_EVERY = Duration.ofSeconds(10);
    private static final long LOOK_MILLIS = 10;

    private final CapturePlan plan;
    private final Capture capture;
    private final CaptureDuty duty;
    private final CaptureStatuses statuses;
    private final LongSupplier nanos;

    CaptureStart(CapturePlan plan, Capture capture, CaptureDuty duty, CaptureStatuses statuses, LongSupplier nanos) {
        this.plan = plan;
        this.capture = capture;
        this.duty = duty;
        this.statuses = statuses;
        this.nanos = nanos;
    }

    /** @throws CaptureException if it cannot begin; the capture is closed then */
    void await() {
        boolean hasBegun = false;
        try {
            long warnedAt = nanos.getAsLong();
            while (!hasBegun()) {
                if (nanos.getAsLong() - warnedAt > WARN_EVERY.toNanos()) {
                    warnedAt = nanos.getAsLong();
                    log.warn(
                            "Capture '{}' waits for its slot: PostgreSQL makes it when the transactions have ended that are open now (see "
                                    + "pg_stat_activity and pg_prepared_xacts).",
                            plan.name());
                }
                Thread.sleep(LOOK_MILLIS);
            }
            hasBegun = true;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new CaptureException("Capture '" + plan.name() + "' was interrupted while it waited for its slot.");
        } finally {
            if (!hasBegun) {
                capture.close();
            }
        }
    }

    private boolean hasBegun() {
        if (duty.isPrepared()) {
            return true;
        }
        CaptureStatus status = statuses.find(plan.name()).orElse(null);
        boolean hasSlot = status != null && status.slot().walStatus() != null;
        String mistake = duty.mistake();
        if (mistake != null) {
            if (hasSlot) {
                return true; // it began some day, and is stopped now: health tells
            }
            throw new CaptureException(mistake);
        }
        if (status != null && hasSlot && status.state() == CaptureStatus.State.PAUSED) {
            return true;
        }
        if (status == null || status.reader() == null || capture.isReading()) {
            return false;
        }
        if (!hasSlot && status.problem() != null) {
            throw new CaptureException(status.problem().what());
        }
        if (hasSlot) {
            warnIfDifferent(status);
        }
        return hasSlot;
    }

    private void warnIfDifferent(CaptureStatus status) {
        Set<String> wanted = new HashSet<>();
        for (CapturedTable table : plan.tables()) {
            wanted.add(table.name());
        }
        wanted.removeAll(status.source().tables());
        wanted.removeIf(name -> status.source().tables().contains("public." + name));
        if (!wanted.isEmpty()) {
            log.warn(
                    "Capture '{}' is read by {} with another configuration, which does not have {}: nothing of that is captured before that "
                            + "process ends.",
                    plan.name(),
                    status.reader(),
                    wanted);
        }
    }
}
