package org.pgbaton.campaign;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;
import org.pgbaton.leadership.Candidate;
import org.pgbaton.leadership.Contention;
import org.pgbaton.leadership.Duty;
import org.pgbaton.leadership.Leadership;
import org.pgbaton.leadership.LeadershipAttempt;
import org.pgbaton.leadership.LeadershipHeldException;
import org.pgbaton.leadership.Term;
import org.pgbaton.session.Backoff;
import org.pgbaton.session.Lease;

/** Bids for a leadership. Immutable and thread-safe. */
final class NamedLeadership implements Leadership {
    private final OngoingCampaigns ongoing;
    private final LeadershipOptions options;

    NamedLeadership(OngoingCampaigns ongoing, LeadershipOptions options) {
        this.ongoing = ongoing;
        this.options = options;
    }

    @Override
    public String name() {
        return options.key().name();
    }

    @Override
    public Leadership lease(Duration lease) {
        return with(new LeadershipOptions(
                options.key(), new Lease(lease), options.pace(), options.shortest(), options.longest()));
    }

    @Override
    public Leadership key(long advisoryKey) {
        LeadershipKey numbered = LeadershipKey.numbered(name(), advisoryKey);
        return with(new LeadershipOptions(
                numbered, options.lease(), options.pace(), options.shortest(), options.longest()));
    }

    @Override
    public Leadership backingOff(Duration shortest, Duration longest) {
        Backoff valid = new Backoff(shortest, longest);
        valid.reset();
        return with(new LeadershipOptions(options.key(), options.lease(), options.pace(), shortest, longest));
    }

    @Override
    public Leadership atMostEvery(Duration every) {
        return with(options.with(options.pace().atMostEvery(every)));
    }

    @Override
    public Leadership atLeastFor(Duration rest) {
        return with(options.with(options.pace().atLeastFor(rest)));
    }

    private Leadership with(LeadershipOptions changed) {
        return new NamedLeadership(ongoing, changed);
    }

    @Override
    public LeadershipAttempt tryLead() throws InterruptedException {
        return bid(Duration.ZERO).attempt();
    }

    @Override
    public Term lead() throws InterruptedException {
        return hold();
    }

    HeldTerm hold() throws InterruptedException {
        Campaign.Outcome outcome = bid(null);
        if (outcome.term() == null) {
            throw new IllegalStateException("a bid without a deadline ended with " + outcome.attempt());
        }
        return outcome.term();
    }

    @Override
    public LeadershipAttempt lead(Duration atMost) throws InterruptedException {
        if (atMost.isNegative()) {
            throw new IllegalArgumentException("Waiting for " + atMost + " makes no sense: give zero or more.");
        }
        return bid(atMost).attempt();
    }

    @Override
    public boolean run(Contention onContention, Duty duty) throws Exception {
        Campaign.Outcome outcome = bid(onContention == Contention.STAND_BY ? null : Duration.ZERO);
        if (outcome.term() != null) {
            try (HeldTerm term = outcome.term()) {
                term.perform(duty);
                term.done();
            }
            return true;
        }
        if (onContention == Contention.FAIL && outcome.attempt() instanceof LeadershipAttempt.Held held) {
            throw new LeadershipHeldException(name(), held.holder());
        }
        return false;
    }

    @Override
    public Candidate campaign(Duty duty) {
        StandingCandidate candidate = new StandingCandidate(ongoing, this, duty);
        candidate.start();
        return candidate;
    }

    private Campaign.Outcome bid(@Nullable Duration atMost) throws InterruptedException {
        Campaign campaign = ongoing.campaign(options, options.patience(atMost));
        CompletableFuture<Campaign.Outcome> answer = campaign.start();
        try {
            return answer.get();
        } catch (InterruptedException impatient) {
            if (!campaign.cancel() && !answer.isCompletedExceptionally()) {
                answer.join().attempt().term().ifPresent(Term::stepDown);
            }
            throw impatient;
        } catch (CancellationException closed) {
            throw new InterruptedException("Baton is closed");
        } catch (ExecutionException failed) {
            throw unwrapped(failed);
        }
    }

    private static RuntimeException unwrapped(ExecutionException failed) {
        if (failed.getCause() instanceof BatonException ours) {
            ours.addSuppressed(new Exception("asked for here"));
            return ours;
        }
        return new IllegalStateException(failed.getCause());
    }
}
