package org.pgbaton.campaign;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.pgbaton.leadership.Candidate;
import org.pgbaton.leadership.Duty;
import org.pgbaton.leadership.LeadershipHealth;
import org.pgbaton.leadership.LeadershipLostException;
import org.pgbaton.leadership.LeadershipState;
import org.pgbaton.leadership.Term;
import org.pgbaton.session.Backoff;
import org.pgbaton.session.LineLogger;
import org.slf4j.Logger;

/** A candidate, and the thread on which it bids and performs its duty. Thread-safe. */
final class StandingCandidate implements Candidate {
    private static final Logger log = LineLogger.of(StandingCandidate.class);

    /** After stepping down, so that somebody else can win: longer than a waiting slice. */
    private static final Duration COURTESY = Duration.ofSeconds(2);

    private final OngoingCampaigns ongoing;
    private final NamedLeadership leadership;
    private final Duty duty;
    private final Thread thread;
    private volatile boolean closed;
    private volatile @Nullable HeldTerm term;
    private volatile @Nullable String connectionProblem;
    private volatile @Nullable String dutyProblem;

    StandingCandidate(OngoingCampaigns ongoing, NamedLeadership leadership, Duty duty) {
        this.ongoing = ongoing;
        this.leadership = leadership;
        this.duty = duty;
        this.thread = new Thread(this::campaign, "baton-" + leadership.name() + "-duty");
        thread.setDaemon(true);
    }

    void start() {
        ongoing.joined(this);
        thread.start();
    }

    @Override
    public String leadership() {
        return leadership.name();
    }

    @Override
    public LeadershipState state() {
        HeldTerm current = term;
        return current == null ? LeadershipState.STANDBY : current.state();
    }

    @Override
    public @Nullable Term term() {
        return term;
    }

    @Override
    public LeadershipHealth health() {
        LeadershipHealth part = ongoing.campaignFor(leadership())
                .map(Campaign::health)
                .orElse(new LeadershipHealth(leadership(), LeadershipState.STANDBY, 0, null, null));
        return part.problem() == null ? part.withProblem(problem()) : part;
    }

    private @Nullable String problem() {
        boolean connected =
                ongoing.campaignFor(leadership()).map(Campaign::isEnrolled).orElse(false);
        String why = connectionProblem;
        HeldTerm current = term;
        if (why == null && current != null) {
            why = Campaign.lost(current); // its duty has not returned yet
        }
        return !connected && why != null ? why : dutyProblem;
    }

    @Override
    public void stepDown() {
        HeldTerm current = term;
        if (current == null) { // the term may be won already, and its duty not begun yet
            current = ongoing.campaignFor(leadership()).map(Campaign::term).orElse(null);
        }
        if (current != null) {
            current.close();
        }
    }

    @Override
    public void close() {
        closed = true;
        HeldTerm current = term;
        if (current != null) {
            current.close();
        }
        finish();
    }

    @Override
    public void close(Duration drain) {
        closed = true;
        HeldTerm current = term;
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
                    serve(leadership.hold());
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
            ongoing.left(this);
        }
    }

    private void serve(HeldTerm won) throws InterruptedException {
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

    private void awaitEnd(HeldTerm won) throws InterruptedException {
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
