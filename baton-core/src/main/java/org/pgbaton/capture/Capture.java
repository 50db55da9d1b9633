package org.pgbaton.capture;

import java.time.Duration;
import java.util.function.Consumer;
import org.pgbaton.leadership.Candidate;
import org.pgbaton.leadership.Leadership;
import org.pgbaton.leadership.State;
import org.pgbaton.session.Database;

/**
 * This process's part in a capture: it reads, or stands by.
 *
 * <p>Guarantee: every change of the captured tables that is committed after the slot was made comes into the log, once, in the order of
 * the commits and within a transaction in the order of the statements. One process reads; when it dies another goes on in milliseconds,
 * when it freezes, within the lease.
 *
 * <p>Those that stand by have an ordinary connection each; only the one that reads uses a WAL sender. Thread-safe.
 */
public final class Capture implements AutoCloseable {
    private final String name;
    private final Capturing work;
    private final Candidate candidate;
    private final Consumer<Capture> onClose;

    Capture(Database database, Plan plan, Leadership leadership, Duration lease, Consumer<Capture> onClose) {
        this.name = plan.name();
        this.work = new Capturing(database, plan, lease);
        this.candidate = leadership.campaign(work);
        this.onClose = onClose;
    }

    public String name() {
        return name;
    }

    /** Whether this process is the one that reads. */
    public boolean isReading() {
        return candidate.state() == State.LEADING;
    }

    public CaptureHealth health() {
        CaptureHealth health = work.health(isReading());
        // Who does not read has no trouble with reading, but may not be able to stand by either.
        return health.problem() == null ? health.withProblem(candidate.health().problem()) : health;
    }

    Capturing work() {
        return work;
    }

    /** Stops reading, or standing by, and blocks until another can. The slot stays, and the server keeps the WAL for it. */
    @Override
    public void close() {
        candidate.close();
        onClose.accept(this);
    }
}
