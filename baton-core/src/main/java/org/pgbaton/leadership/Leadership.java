package org.pgbaton.leadership;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;
import org.pgbaton.session.Backoff;
import org.pgbaton.session.Lease;

/**
 * A job that only one process may do at a time, by name.
 *
 * <p>Guarantee: at most one {@link Term} of a name is leading at any time, over all processes that use the same database and
 * schema, and each has a higher epoch than the one before. When the leader's process dies, a standby takes over in
 * milliseconds; when it freezes, or its host or network dies, within the lease.
 *
 * <p>Each bid uses a dedicated connection of its own, and one thread; with {@link #backingOff} only while it tries. Every wait
 * is interruptible. Immutable and thread-safe; the methods that set something return a new value.
 *
 * <pre>{@code
 * baton.leadership("reports").run(Contention.SKIP, term -> {
 *     while (term.isLeading()) {
 *         writeNextReport(term);
 *     }
 * });
 * }</pre>
 */
public final class Leadership {
    private final Leaderships all;
    private final LeadershipOptions options;

    Leadership(Leaderships all, LeadershipOptions options) {
        this.all = all;
        this.options = options;
    }

    public String name() {
        return options.key().name();
    }

    /**
     * How long a frozen or cut-off leader keeps the lock: 2 s to 1 day, default 10 s. A dead one loses it in milliseconds
     * whatever the lease.
     */
    public Leadership lease(Duration lease) {
        return with(new LeadershipOptions(
                options.key(), new Lease(lease), options.pace(), options.shortest(), options.longest()));
    }

    /**
     * Uses this advisory key in place of one made from the name: for programs that call {@code pg_advisory_lock(n)}
     * themselves. They exclude each other, but have no epoch.
     */
    public Leadership key(long advisoryKey) {
        LeadershipKey numbered = LeadershipKey.numbered(name(), advisoryKey);
        return with(new LeadershipOptions(
                numbered, options.lease(), options.pace(), options.shortest(), options.longest()));
    }

    /**
     * Waits by trying again and again, with the connection closed between two tries. Saves a connection for each standby;
     * takeover then takes as long as the pause, which grows from the shortest to the longest.
     */
    public Leadership backingOff(Duration shortest, Duration longest) {
        Backoff valid = new Backoff(shortest, longest);
        valid.reset();
        return with(new LeadershipOptions(options.key(), options.lease(), options.pace(), shortest, longest));
    }

    /**
     * A run begins at the earliest when this has passed since the start of the last run that ended well, whoever ran it: for
     * jobs that several processes start at the same time. A run that failed or was killed does not count. Until then
     * {@link #tryLead} answers {@link Attempt.NotNow}, and whoever waits goes on waiting.
     *
     * <p>A run is a term, and ended well if its duty returned in {@link #run}, or if {@link Term#done} was said. The
     * database's clock judges. From 1 ms to 366 days; without it a run may begin whenever nobody leads.
     */
    public Leadership atMostEvery(Duration every) {
        return with(options.with(options.pace().atMostEvery(every)));
    }

    /**
     * Once a run of ours has begun, nobody else who says {@code atMostEvery} or {@code atLeastFor} begins before this has passed,
     * however short our run was and even if it failed. From 1 ms to 366 days; without it the next may begin at once.
     */
    public Leadership atLeastFor(Duration rest) {
        return with(options.with(options.pace().atLeastFor(rest)));
    }

    private Leadership with(LeadershipOptions changed) {
        return new Leadership(all, changed);
    }

    /** Tries once. */
    public Attempt tryLead() throws InterruptedException {
        return bid(Duration.ZERO);
    }

    /** Waits until we lead. */
    public Term lead() throws InterruptedException {
        Attempt attempt = bid(null);
        if (attempt instanceof Attempt.Leading won) {
            return won.leading();
        }
        throw new IllegalStateException("a bid without a deadline ended with " + attempt);
    }

    /** Waits until we lead, but not longer than this. */
    public Attempt lead(Duration atMost) throws InterruptedException {
        if (atMost.isNegative()) {
            throw new IllegalArgumentException("Waiting for " + atMost + " makes no sense: give zero or more.");
        }
        return bid(atMost);
    }

    /**
     * Performs the duty on the caller's thread while leading, and releases the leadership when it returns.
     *
     * @return false if somebody else leads and the caller said {@link Contention#SKIP}, or if it is too soon: see
     *     {@link #atMostEvery}
     * @throws LeadershipHeldException if somebody else leads and the caller said {@link Contention#FAIL}
     * @throws LeadershipLostException if leadership was lost and the duty ended by the interrupt
     */
    public boolean run(Contention onContention, Duty duty) throws Exception {
        Attempt attempt = onContention == Contention.STAND_BY ? new Attempt.Leading(lead()) : tryLead();
        if (attempt instanceof Attempt.Leading won) {
            try (Term term = won.leading()) {
                term.perform(duty);
                term.done();
            }
            return true;
        }
        if (onContention == Contention.FAIL && attempt instanceof Attempt.Held held) {
            throw new LeadershipHeldException(name(), held.holder());
        }
        return false;
    }

    /**
     * Starts a candidate that stays: it stands by, leads, performs the duty, and when leadership is lost stands by again,
     * until it is closed.
     *
     * @throws LeadershipNameException if this Baton has a candidate of that name already
     */
    public Candidate campaign(Duty duty) {
        Candidate candidate = new Candidate(all, this, duty);
        candidate.start();
        return candidate;
    }

    private Attempt bid(@Nullable Duration atMost) throws InterruptedException {
        Campaign campaign = new Campaign(all, options, options.patience(atMost));
        CompletableFuture<Attempt> answer = campaign.begin();
        try {
            return answer.get();
        } catch (InterruptedException impatient) {
            if (!campaign.cancel() && !answer.isCompletedExceptionally()) {
                answer.join().term().ifPresent(Term::stepDown);
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
