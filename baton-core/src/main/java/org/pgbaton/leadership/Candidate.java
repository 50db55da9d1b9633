package org.pgbaton.leadership;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.LineLogger;
import org.pgbaton.session.Backoff;
import org.slf4j.Logger;

/**
 * A long-lived candidate: stands by, leads, loses, stands by again, until it is closed.
 *
 * <p>While it leads it performs its duty on a thread of its own. A duty that returns leaves the candidate leading, so a duty
 * may also just start something; a duty that throws makes it step down, wait a little and stand by again. Outages of the
 * database are waited out, from the first connection on; {@link #health} shows them.
 *
 * <p>Thread-safe.
 */
public final class Candidate implements AutoCloseable {
    private static final Logger log = LineLogger.of(Candidate.class);

    /** After stepping down, so that somebody else can win: longer than a waiting slice. */
    private static final Duration COURTESY = Duration.ofSeconds(2);

    private final Leaderships all;
    private final Leadership leadership;
    private final Duty duty;
    private final Thread thread;
    private volatile boolean closed;
    private volatile @Nullable Term term;
    private volatile @Nullable String connectionProblem;
    private volatile @Nullable String dutyProblem;

    Candidate(Leaderships all, Leadership leadership, Duty duty) {
        this.all = all;
        this.leadership = leadership;
        this.duty = duty;
        this.thread = new Thread(this::campaign, "baton-" + leadership.name() + "-duty");
        thread.setDaemon(true);
    }

    void start() {
        all.joined(this);
        thread.start();
    }

    public String leadership() {
        return leadership.name();
    }

    public State state() {
        Term current = term;
        return current == null ? State.STANDBY : current.state();
    }

    /** The present term, or null while standing by. */
    public @Nullable Term term() {
        return term;
    }

    public LeadershipHealth health() {
        LeadershipHealth part = all.campaignFor(leadership())
                .map(Campaign::health)
                .orElse(new LeadershipHealth(leadership(), State.STANDBY, 0, null, null));
        return part.problem() == null ? part.withProblem(problem()) : part;
    }

    private @Nullable String problem() {
        boolean connected =
                all.campaignFor(leadership()).map(Campaign::isEnrolled).orElse(false);
        String why = connectionProblem;
        Term current = term;
        if (why == null && current != null) {
            why = Campaign.lost(current); // its duty has not returned yet
        }
        return !connected && why != null ? why : dutyProblem;
    }

    /**
     * Hands leadership over and stands by again; blocks until the lock is free. Drains the duty as {@link #close} does. Inside
     * the duty use {@link Term#stepDown}.
     */
    public void stepDown() {
        Term current = term;
        if (current != null) {
            current.close();
        }
    }

    /** Ends the candidate, with up to a lease for the duty to return. */
    @Override
    public void close() {
        closed = true;
        Term current = term;
        if (current != null) {
            current.close();
        }
        finish();
    }

    /** Ends the candidate; see {@link Term#close(Duration)} for what happens to the duty. Can be called twice. */
    public void close(Duration drain) {
        closed = true;
        Term current = term;
        if (current != null) {
            current.close(drain);
        }
        finish();
    }

    private void finish() {
        if (Thread.currentThread() == thread) {
            return;
        }
        thread.interrupt();
        try {
            thread.join(1000);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void campaign() {
        Backoff pause = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));
        try {
            while (!closed) {
                try {
                    serve(leadership.lead());
                    pause.reset();
                } catch (RuntimeException failure) {
                    connectionProblem = String.valueOf(failure.getMessage());
                    log.warn("Leadership '{}': {}", leadership(), connectionProblem);
                    log.debug("Leadership '{}': the cause", leadership(), failure);
                    rest(pause.next());
                } catch (InterruptedException notOurs) {
                    log.debug("Leadership '{}': interrupted", leadership());
                }
            }
        } finally {
            all.left(this);
        }
    }

    private void serve(Term won) throws InterruptedException {
        term = won;
        connectionProblem = null;
        dutyProblem = null;
        try {
            if (closed) {
                won.stepDown();
            }
            won.perform(duty);
            won.done();
        } catch (LeadershipLostException lost) {
            // Lost, or only suspended for a moment: either way the duty is not at work any more.
            log.debug("Leadership '{}': the duty gave up", leadership(), lost);
            won.stepDown();
        } catch (Exception | Error failure) {
            if (!won.isEnding()) {
                dutyProblem = "the duty failed: " + failure;
                log.error("Leadership '{}': the duty failed, stepping down", leadership(), failure);
            }
            won.stepDown();
        }
        awaitEnd(won);
        connectionProblem = Campaign.lost(won);
        term = null;
        if (won.isEnding()) {
            rest(COURTESY);
        }
    }

    private void awaitEnd(Term won) throws InterruptedException {
        while (true) {
            try {
                won.awaitEnd();
                return;
            } catch (InterruptedException interrupted) {
                if (closed) {
                    won.stepDown();
                    throw interrupted;
                }
                // A duty that was interrupted by others and left the flag set; the term goes on.
            }
        }
    }

    private void rest(Duration pause) {
        try {
            if (!closed) {
                Thread.sleep(pause.toMillis());
            }
        } catch (InterruptedException closing) {
            log.trace("Leadership '{}': no more rest", leadership());
        }
    }
}
