package org.pgbaton.campaign;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.leadership.Holder;
import org.pgbaton.leadership.LeadershipAttempt;
import org.pgbaton.leadership.LeadershipChange;
import org.pgbaton.leadership.LeadershipHealth;
import org.pgbaton.leadership.LeadershipState;
import org.pgbaton.session.Backoff;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Lease;
import org.pgbaton.session.LineLogger;
import org.pgbaton.session.Session;
import org.slf4j.Logger;

/**
 * One bid for a leadership. It is the one thread that talks on the session:
 *
 * <ol>
 *   <li>open a session, register the name, enrol as a candidate;
 *   <li>take the lock: once, or in slices, or again and again with the connection closed in between;
 *   <li>take the epoch, in a transaction of its own after the lock, waiting for guarded transactions of the last term;
 *   <li>keep the term until it is over: see {@link TermKeeper}.
 * </ol>
 *
 * <p>A session that breaks while waiting is opened again with back-off; if the very first cannot be opened, the bid fails.
 * The answer is what {@link #start} returns; {@link #cancel} ends the wait for it.
 */
final class Campaign implements Runnable {
    /** So often a leadership may be deleted while we enrol; a deletion takes milliseconds. */
    private static final int ENROLMENTS = 50;

    private static final long ENROL_MILLIS = 20;

    private static final Logger log = LineLogger.of(Campaign.class);

    /** A candidate that waits for a moment asks again at least so often: somebody may set the clock. */
    private static final Duration LONGEST_REST = Duration.ofSeconds(30);

    /**
     * What all campaigns of a process use.
     *
     * @param nanos the monotonic clock
     */
    record Services(DatabaseAccess database, LongSupplier nanos, LeadershipNews news, TrustWatch trust) {}

    /** @param term if it was won */
    record Outcome(LeadershipAttempt attempt, @Nullable HeldTerm term) {}

    private final OngoingCampaigns ongoing;
    private final Services services;
    private final LeadershipKey key;
    private final Lease lease;
    private final RunPace pace;
    private final Patience patience;
    private final CompletableFuture<Outcome> answer = new CompletableFuture<>();
    private final long start;
    private final Thread thread;

    private volatile @Nullable Session session;
    private volatile @Nullable HeldTerm term;
    private volatile @Nullable String problem;
    private volatile boolean enrolled;
    private boolean wasEnrolled;
    private boolean stoodBy;
    private @Nullable Duration rest;
    private @Nullable Duration takeover;

    /** @param ongoing where it is registered until it, and the term it won, is over */
    Campaign(OngoingCampaigns ongoing, Services services, LeadershipOptions options, Patience patience) {
        this.ongoing = ongoing;
        this.services = services;
        this.key = options.key();
        this.lease = options.lease();
        this.pace = options.pace();
        this.patience = patience;
        this.start = services.nanos().getAsLong();
        this.thread = new Thread(this, "baton-" + key.name());
        thread.setDaemon(true);
    }

    /** Starts the thread. The campaign is registered until it, and the term it won, is over. */
    CompletableFuture<Outcome> start() {
        ongoing.joined(this);
        thread.start();
        return answer;
    }

    /** @return false if the answer is there already */
    boolean cancel() {
        if (!answer.cancel(false)) {
            return false;
        }
        Session current = session;
        if (current != null) {
            current.abort();
        }
        thread.interrupt();
        return true;
    }

    @Override
    public void run() {
        try {
            LeadershipAttempt attempt = campaign();
            if (!(attempt instanceof LeadershipAttempt.Leading)) {
                closeSession();
                answer.complete(new Outcome(attempt, null));
            }
        } catch (InterruptedException cancelled) {
            answer.cancel(false);
        } catch (RuntimeException | Error failure) {
            answer.completeExceptionally(failure);
        } finally {
            closeSession();
            ongoing.left(this);
        }
    }

    private LeadershipAttempt campaign() throws InterruptedException {
        Backoff reconnect = new Backoff(Duration.ofMillis(100), lease.heartbeatEvery());
        Backoff between = patience.backoff();
        while (true) {
            try {
                @Nullable LeadershipAttempt attempt = bid(openSession(), between == null, reconnect);
                if (attempt != null) {
                    return attempt;
                }
            } catch (DatabaseException failure) {
                requireWanted();
                if (!wasEnrolled || patience.isOnce() || !failure.fault().passes()) {
                    throw failure;
                }
                problem = failure.getMessage();
                log.warn("Leadership '{}': standing by without a connection: {}", key.name(), failure.getMessage());
            }
            enrolled = false;
            closeSession();
            Duration pause = rest != null ? rest : (problem != null || between == null ? reconnect : between).next();
            long left = patience.left(start, services.nanos().getAsLong());
            if (left <= 0) {
                return new LeadershipAttempt.Held(null);
            }
            TimeUnit.NANOSECONDS.sleep(Math.min(left, pause.toNanos()));
        }
    }

    /**
     * Registers the leadership and shows this session as a candidate. Somebody may delete the leadership in between, because nobody used it; then
     * it is made anew.
     */
    private int enrol(Session on) throws InterruptedException {
        int id = LeadershipRegistration.of(on, key);
        // A stranger who holds the lock of the row cannot keep us from bidding.
        for (int round = 0; round < ENROLMENTS && !isEnrolled(on, id); round++) {
            Thread.sleep(ENROL_MILLIS);
            id = LeadershipRegistration.of(on, key);
        }
        return id;
    }

    private static boolean isEnrolled(Session on, int id) {
        return on.query("enrol as a candidate", LeadershipSql.ENROL, rows -> rows.next() && rows.getBoolean(1), id);
    }

    /** @return null when it is to be tried again on another session */
    private @Nullable LeadershipAttempt bid(Session on, boolean stay, Backoff reconnect) throws InterruptedException {
        int id = enrol(on);
        enrolled = true;
        wasEnrolled = true;
        problem = null;
        reconnect.reset();
        rest = null;
        // Also before the lock is taken: a bid that comes too soon should not seem to lead.
        Optional<TooSoon> tooSoon = tooSoon(on, id);
        if (tooSoon.isPresent()) {
            return answerOrRest(tooSoon.get());
        }
        if (on.tryLock(key.key())) {
            return lead(on, id);
        }
        if (patience.isOnce()) {
            return new LeadershipAttempt.Held(holder(on));
        }
        standBy(on);
        rehearse(on);
        while (stay) {
            requireWanted();
            long left = patience.left(start, services.nanos().getAsLong());
            if (left <= 0) {
                return new LeadershipAttempt.Held(holder(on));
            }
            if (on.awaitLock(key.key(), Duration.ofNanos(left))) {
                return lead(on, id);
            }
        }
        return null;
    }

    private record TooSoon(LeadershipAttempt.NotNow answer, Duration left) {}

    private Optional<TooSoon> tooSoon(Session on, int id) {
        if (pace.isAny()) {
            return Optional.empty();
        }
        Duration every = pace.atMostEvery();
        return on.query(
                "see when it was done last",
                LeadershipSql.NEXT_RUN,
                rows -> rows.next() ? Optional.of(readTooSoon(rows)) : Optional.empty(),
                id,
                every == null ? 0L : every.toMillis());
    }

    private static TooSoon readTooSoon(ResultSet row) throws SQLException {
        return new TooSoon(
                new LeadershipAttempt.NotNow(instant(row, 1), row.getString(2), row.getBoolean(3), instant(row, 4)),
                Duration.ofMillis(row.getLong(5)));
    }

    /** Waits for the moment, if our patience reaches that far, without a connection and without the lock. */
    private @Nullable LeadershipAttempt answerOrRest(TooSoon tooSoon) {
        if (tooSoon.left()
                        .compareTo(Duration.ofNanos(
                                patience.left(start, services.nanos().getAsLong())))
                > 0) {
            return tooSoon.answer();
        }
        rest = tooSoon.left().compareTo(LONGEST_REST) < 0 ? tooSoon.left() : LONGEST_REST;
        log.debug("Leadership '{}': {}", key.name(), tooSoon.answer());
        return null;
    }

    /**
     * The lock is ours. Returns when the term is over, when the last term's transactions outlast our patience, or when it is too
     * soon; null if it is to be tried again.
     */
    private @Nullable LeadershipAttempt lead(Session on, int id) throws InterruptedException {
        long granted = services.nanos().getAsLong();
        Optional<TooSoon> tooSoon = tooSoon(on, id);
        if (tooSoon.isPresent()) {
            return answerOrRest(tooSoon.get());
        }
        do {
            requireWanted();
            Optional<HeldTerm> won = on.query(
                    "take the epoch",
                    LeadershipSql.TAKE_EPOCH,
                    rows -> rows.next() ? Optional.of(beginTerm(on, rows, granted)) : Optional.empty(),
                    id,
                    services.database().who(),
                    (int) lease.slice().toMillis());
            if (won.isPresent()) {
                beginRun(on, id, won.get());
                return keep(on, id, won.get());
            }
            sayWhoHoldsUs(on, id, granted);
        } while (patience.left(start, services.nanos().getAsLong()) > 0);
        return new LeadershipAttempt.Held(null);
    }

    /** Records the beginning of the run before anybody hears of the term. */
    private void beginRun(Session on, int id, HeldTerm won) {
        Duration atLeast = pace.atLeastFor();
        if (atLeast != null) {
            on.query("begin the run", LeadershipSql.BEGIN_RUN, ResultSet::next, id, won.epoch(), atLeast.toMillis());
        }
    }

    private LeadershipAttempt keep(Session on, int id, HeldTerm won) {
        LeadershipAttempt leading = new LeadershipAttempt.Leading(won);
        term = won;
        problem = null;
        // After the term can be found: a listener may step down at once.
        services.news()
                .tell(new LeadershipChange(key.name(), LeadershipState.LEADING, won.epoch(), "acquired", takeover));
        services.trust().watch(won, on);
        if (!answer.complete(new Outcome(leading, won))) {
            won.stepDown(); // nobody waits for it any more
        }
        new TermKeeper(services.database(), on, id, won).keep();
        return leading;
    }

    private HeldTerm beginTerm(Session on, ResultSet row, long granted) throws SQLException {
        HeldTerm won =
                new HeldTerm(services.database(), services.news(), key, row.getLong(1), instant(row, 2), lease, on);
        long vacantMicros = row.getLong(3);
        takeover = row.wasNull()
                ? Duration.ofNanos(services.nanos().getAsLong() - granted)
                : Duration.ofNanos(vacantMicros * 1000);
        log.info(
                "Leadership '{}': acquired, epoch {}, {}",
                key.name(),
                won.epoch(),
                services.database().who());
        return won;
    }

    private void standBy(Session on) {
        if (!stoodBy) {
            stoodBy = true;
            Holder holder = holder(on);
            String reason = "held by " + (holder == null ? "somebody who is just leaving" : holder);
            log.info(
                    "Leadership '{}': standing by, {}; {}",
                    key.name(),
                    reason,
                    services.database().who());
            services.news().tell(new LeadershipChange(key.name(), LeadershipState.STANDBY, 0, reason, null));
        }
    }

    /**
     * A takeover should not wait for functions to be compiled, statements to be planned and classes to be loaded. So a standby
     * goes through it once beforehand, for row 0, which does not exist.
     */
    private void rehearse(Session on) {
        HeldTerm none = new HeldTerm(services.database(), services.news(), key, 0, Instant.EPOCH, lease, on);
        new TermKeeper(services.database(), on, 0, none);
        on.query(
                "rehearse a takeover",
                LeadershipSql.TAKE_EPOCH,
                ResultSet::next,
                0,
                services.database().who(),
                1);
    }

    /** An idle transaction ends after the lease; one that the server still works for, or that is prepared, does not. */
    private void sayWhoHoldsUs(Session on, int id, long granted) {
        if (problem != null
                || services.nanos().getAsLong() - granted < lease.length().toNanos()) {
            return;
        }
        String backends = on.query(
                "see whom we wait for", LeadershipSql.GUARDED_BY, rows -> rows.next() ? rows.getString(1) : "", id);
        problem = "has the lock, and waits for a guarded transaction of the last term, of " + backends
                + "; end it with pg_terminate_backend or ROLLBACK PREPARED";
        log.warn("Leadership '{}': {}", key.name(), problem);
    }

    private @Nullable Holder holder(Session on) {
        Optional<Holder> holder = on.query(
                "see who leads",
                LeadershipSql.HOLDER,
                rows -> rows.next() ? Optional.of(readHolder(rows)) : Optional.empty(),
                key.name());
        return holder.orElse(null);
    }

    private static Holder readHolder(ResultSet row) throws SQLException {
        return new Holder(row.getString(1), row.getLong(2), row.getObject(3) == null ? null : instant(row, 3));
    }

    private static Instant instant(ResultSet row, int column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    private Session openSession() throws InterruptedException {
        Session opened = Session.open(services.database(), lease, services.nanos(), key.name());
        session = opened;
        requireWanted();
        return opened;
    }

    private void closeSession() {
        Session current = session;
        if (current != null) {
            current.close();
        }
    }

    private void requireWanted() throws InterruptedException {
        if (answer.isDone() || Thread.currentThread().isInterrupted()) {
            throw new InterruptedException();
        }
    }

    String leadership() {
        return key.name();
    }

    /** The term that it won; null if it has not won yet. */
    @Nullable
    HeldTerm term() {
        return term;
    }

    /** Whether the database knows this campaign as a candidate. */
    boolean isEnrolled() {
        return enrolled;
    }

    /** Its health, as far as this process knows. */
    LeadershipHealth health() {
        HeldTerm current = term;
        if (current == null) {
            return new LeadershipHealth(key.name(), LeadershipState.STANDBY, 0, null, problem);
        }
        LeadershipState state = current.state();
        return new LeadershipHealth(
                key.name(),
                state,
                current.epoch(),
                current.sinceHeartbeat(),
                state == LeadershipState.SUSPENDED ? "the database does not answer" : lost(current));
    }

    /** The problem of a process that has lost this term, until it is a candidate again; null if the term was not lost. */
    static @Nullable String lost(HeldTerm term) {
        String because = term.lostBecause();
        return because == null ? null : "the term was lost (" + because + "), and it is no candidate again yet";
    }

    /** Ends the campaign or the term it won, and waits for the thread, which may be on its way through a slow connect. */
    void close() {
        cancel();
        HeldTerm current = term;
        if (current != null) {
            current.close();
        }
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
