package org.pgbaton.capture;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.pgbaton.database.LineLogger;
import org.slf4j.Logger;

/**
 * Waits until a capture has begun: its slot is there, and if this process reads, what it wants is published. What is committed
 * afterwards is captured. If somebody else reads, it has begun there.
 */
final class Beginning {
    private static final Logger log = LineLogger.of(Beginning.class);
    private static final Duration TELL_EVERY = Duration.ofSeconds(10);
    private static final long LOOK_MILLIS = 10;

    private final Captures captures;
    private final Capture capture;

    Beginning(Captures captures, Capture capture) {
        this.captures = captures;
        this.capture = capture;
    }

    void await() {
        boolean hasBegun = false;
        try {
            long toldAt = System.nanoTime();
            while (!hasBegun()) {
                if (System.nanoTime() - toldAt > TELL_EVERY.toNanos()) {
                    toldAt = System.nanoTime();
                    log.warn(
                            "Capture '{}' waits for its slot: PostgreSQL makes it when the transactions have ended that are open now (see "
                                    + "pg_stat_activity and pg_prepared_xacts).",
                            capture.name());
                }
                Thread.sleep(LOOK_MILLIS);
            }
            hasBegun = true;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new CaptureException(
                    "Capture '" + capture.name() + "' was interrupted while it waited for its slot.");
        } finally {
            if (!hasBegun) {
                capture.close();
            }
        }
    }

    private boolean hasBegun() {
        if (capture.work().isLaid()) {
            return true;
        }
        CaptureStatus status = captures.find(capture.name()).orElse(null);
        boolean isThere = status != null && status.walStatus() != null;
        String mistake = capture.work().mistake();
        if (mistake != null) {
            if (isThere) {
                return true; // it has begun some day, and is stopped now: health tells
            }
            throw new CaptureException(mistake);
        }
        if (status != null && isThere && status.state().equals("paused")) {
            return true;
        }
        if (status == null || status.owner() == null || capture.isReading()) {
            return false;
        }
        if (!isThere && status.problem() != null) {
            throw new CaptureException(status.problem());
        }
        if (isThere) {
            warnIfDifferent(status);
        }
        return isThere;
    }

    private void warnIfDifferent(CaptureStatus status) {
        Set<String> wanted = new HashSet<>(capture.work().tableNames());
        wanted.removeAll(status.tables());
        wanted.removeIf(name -> status.tables().contains("public." + name));
        if (!wanted.isEmpty()) {
            log.warn(
                    "Capture '{}' is read by {} with another configuration, which does not have {}: nothing of that is captured before that "
                            + "process ends.",
                    capture.name(),
                    status.owner(),
                    wanted);
        }
    }
}
