package org.pgbaton.wal;

import org.pgbaton.session.Backoff;

/**
 * Decides when trouble with reading is over. A connection proves nothing: the server may have ended the last ones again and again. The problem is
 * cleared when the server has sent something. Not thread-safe.
 */
final class StreamProof {
    private final CaptureReport report;
    private final Backoff pause;
    private boolean isProven;

    /** @param isProven whether there is no trouble of that kind */
    StreamProof(CaptureReport report, Backoff pause, boolean isProven) {
        this.report = report;
        this.pause = pause;
        this.isProven = isProven;
    }

    /** The server has sent something, or has read on. */
    void received() {
        if (!isProven) {
            isProven = true;
            pause.reset();
            report.clearProblem();
        }
    }
}
