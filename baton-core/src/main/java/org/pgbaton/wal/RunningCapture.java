package org.pgbaton.wal;

import java.util.function.Consumer;
import org.pgbaton.capture.Capture;
import org.pgbaton.capture.CaptureHealth;
import org.pgbaton.leadership.Candidate;
import org.pgbaton.leadership.Leadership;
import org.pgbaton.leadership.LeadershipState;

/** A capture in this process: a candidate for the leadership of the capture, whose duty is to read. Thread-safe. */
final class RunningCapture implements Capture {
    private final String name;
    private final CaptureDuty duty;
    private final Candidate candidate;
    private final Consumer<Capture> onClose;

    RunningCapture(String name, CaptureDuty duty, Leadership leadership, Consumer<Capture> onClose) {
        this.name = name;
        this.duty = duty;
        this.candidate = leadership.campaign(duty);
        this.onClose = onClose;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean isReading() {
        return candidate.state() == LeadershipState.LEADING;
    }

    @Override
    public CaptureHealth health() {
        // A process that does not read has no trouble with reading, but may not be able to stand by either.
        return duty.health(isReading(), candidate.health().problem());
    }

    @Override
    public void close() {
        candidate.close();
        onClose.accept(this);
    }
}
