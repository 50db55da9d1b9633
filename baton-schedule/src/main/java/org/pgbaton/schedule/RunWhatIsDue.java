package org.pgbaton.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.BatonException;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.leadership.Duty;
import org.pgbaton.leadership.LeadershipLostException;
import org.pgbaton.leadership.LeadershipState;
import org.pgbaton.leadership.Term;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The duty of the leader: waits for the next due time, claims it, performs the scheduled duty, records how that ended, and so on until the
 * term ends. See {@link Schedules} for the protocol.
 *
 * <p>After an outage of the database it begins again, because a claim may have been committed without an answer. Such a due time counts as
 * lost: the duty was not performed for it, and is not any more. One thread at a time calls it.
 */
final class RunWhatIsDue implements Duty {
    private static final Logger log = LoggerFactory.getLogger(Schedules.class);

    /** It looks at the database at least so often: somebody may set the clock there. */
    private static final Duration LONGEST_REST = Duration.ofSeconds(10);

    private static final Duration AFTER_AN_OUTAGE = Duration.ofSeconds(1);

    /** How soon it hears that the term is to end. */
    private static final Duration SLICE = Duration.ofMillis(50);

    private final ScheduleRow row;
    private final DueTimes times;
    private final Missed missed;
    private final Punctuality punctuality;
    private final ScheduledDuty duty;

    RunWhatIsDue(ScheduleRow row, DueTimes times, Missed missed, Punctuality punctuality, ScheduledDuty duty) {
        this.row = row;
        this.times = times;
        this.missed = missed;
        this.punctuality = punctuality;
        this.duty = duty;
    }

    @Override
    public void perform(Term term) throws InterruptedException {
        while (goesOn(term)) {
            try {
                row.begin(term, times, missed);
                boolean known = true;
                while (known && goesOn(term)) {
                    known = step(term);
                }
            } catch (DatabaseException outage) {
                if (!outage.fault().passes()) {
                    throw outage;
                }
                log.warn("Schedule '{}': {}", row.name(), outage.getMessage());
                rest(term, AFTER_AN_OUTAGE);
            }
        }
    }

    /** @return false if the row is gone */
    private boolean step(Term term) throws InterruptedException {
        if (!term.isLeading()) {
            rest(term, SLICE); // suspended, or about to end
            return true;
        }
        Optional<ScheduleRow.Look> seen = row.look();
        if (seen.isEmpty()) {
            return false;
        }
        ScheduleRow.Look look = seen.get();
        if (look.nextDue().isAfter(look.now())) {
            Duration left = Duration.between(look.now(), look.nextDue());
            rest(term, left.compareTo(LONGEST_REST) < 0 ? left : LONGEST_REST);
            return true;
        }
        Instant due = times.latest(look.nextDue(), look.now());
        boolean run = missed == Missed.ONCE || punctuality.isOnTime(due, look.now(), look.lastEnd());
        if (!row.claim(term, look.nextDue(), due, times.next(look.now()), run)) {
            log.debug("Schedule '{}': {} is not to be claimed", row.name(), due);
        } else if (run) {
            run(term, due);
        } else {
            log.warn("Schedule '{}': due at {}, missed, not run; see the policy for missed times", row.name(), due);
        }
        return true;
    }

    private void run(Term term, Instant due) throws InterruptedException {
        awaitTrust(term);
        long start = System.nanoTime();
        try {
            duty.perform(term, due);
        } catch (InterruptedException ended) {
            record(term, due, Outcome.FAILED, "interrupted, because the process ended or the term was lost");
            throw ended;
        } catch (Exception failure) {
            log.warn("Schedule '{}': due at {}, failed after {}", row.name(), due, since(start), failure);
            record(term, due, Outcome.FAILED, told(failure));
            return;
        } catch (Error failure) {
            record(term, due, Outcome.FAILED, told(failure));
            throw failure;
        }
        log.info("Schedule '{}': due at {}, done after {}", row.name(), due, since(start));
        record(term, due, Outcome.DONE, null);
    }

    /** Nothing is started or recorded while the term is suspended: the process may have been frozen, and replaced. */
    private void awaitTrust(Term term) throws InterruptedException {
        while (term.state() == LeadershipState.SUSPENDED) {
            Thread.sleep(SLICE.toMillis());
        }
        if (term.state() == LeadershipState.LOST) {
            throw new LeadershipLostException(row.name(), term.epoch(), "the term is over.", null);
        }
    }

    /** Tries for as long as the term lasts: a run that ended should not seem to go on. */
    private void record(Term term, Instant due, Outcome outcome, @Nullable String error) throws InterruptedException {
        while (true) {
            awaitTrust(term);
            try {
                row.end(term, due, outcome, error);
                return;
            } catch (DatabaseException outage) {
                if (!outage.fault().passes()) {
                    throw outage;
                }
                log.warn("Schedule '{}': {}", row.name(), outage.getMessage());
                Thread.sleep(AFTER_AN_OUTAGE.toMillis());
            }
        }
    }

    /** Ours are sentences for people. Those of others need the name of the class. */
    private static String told(Throwable failure) {
        return failure instanceof BatonException ours ? ours.getMessage() : failure.toString();
    }

    private static Duration since(long start) {
        return Duration.ofMillis((System.nanoTime() - start) / 1_000_000);
    }

    /** Also while the term is suspended: the next answer of the database may repair that. */
    private static boolean goesOn(Term term) {
        return term.isLeading() || term.state() == LeadershipState.SUSPENDED;
    }

    private static void rest(Term term, Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        for (long left = atMost.toNanos(); left > 0 && goesOn(term); left = end - System.nanoTime()) {
            // Rounded up, so that it does not look a moment too early.
            Thread.sleep(Math.min(SLICE.toMillis(), left / 1_000_000 + 1));
        }
    }
}
