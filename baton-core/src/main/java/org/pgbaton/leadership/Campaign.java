package org.pgbaton.leadership;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.session.Backoff;
import org.pgbaton.session.Lease;
import org.pgbaton.session.Session;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One bid for a leadership, and the keeping of the term it wins. It is the one thread that talks on the session:
 *
 * <ol>
 *   <li>open a session, register the name, enrol as a candidate;
 *   <li>take the lock: once, or in slices, or again and again with the connection closed in between;
 *   <li>take the epoch, in a transaction of its own after the lock, waiting for guarded transactions of the last term;
 *   <li>lead: a heartbeat every third of the lease, and a look at the socket ten times a second, until the term is to end or the
 *       session is gone;
 *   <li>release: say so in the row, close the session.
 * </ol>
 *
 * <p>A session that breaks while waiting is opened again with back-off; if the very first cannot be opened, the bid fails.
 * The answer is what {@link #begin} returns; {@link #cancel} ends the wait for it.
 */
final class Campaign implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(Campaign.class);

    /** How soon a leader hears that the server ended its session. Costs a look at the socket, and no traffic. */
    private static final Duration LISTEN_EVERY = Duration.ofMillis(100);

    private final Leaderships all;
    private final LeadershipKey key;
    private final Lease lease;
    private final Patience patience;
    private final CompletableFuture<Attempt> answer = new CompletableFuture<>();
    private final long start;

    private @Nullable Thread thread;
    private volatile @Nullable Session session;
    private volatile @Nullable Term term;
    private volatile @Nullable String problem;
    private boolean stoodBy;
    /** The leadership's row. */
    private int id;

    Campaign(Leaderships all, LeadershipKey key, Lease lease, Patience patience) {
        this.all = all;
        this.key = key;
        this.lease = lease;
        this.patience = patience;
        this.start = all.nanos();
    }

    /** Starts the thread. The campaign is registered until it, and the term it won, is over. */
    CompletableFuture<Attempt> begin() {
        all.joined(this);
        Thread runner = new Thread(this, "baton-" + key.name());
        runner.setDaemon(true);
        thread = runner;
        runner.start();
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
        Thread runner = thread;
        if (runner != null) {
            runner.interrupt();
        }
        return true;
    }

    @Override
    public void run() {
        try {
            Attempt attempt = campaign();
            if (attempt instanceof Attempt.Leading won) {
                keep(won.leading());
            } else {
                closeSession();
                answer.complete(attempt);
            }
        } catch (InterruptedException cancelled) {
            closeSession();
            answer.cancel(false);
        } catch (RuntimeException | Error failure) {
            closeSession();
            answer.completeExceptionally(failure);
        } finally {
            all.left(this);
        }
    }

    private Attempt campaign() throws InterruptedException {
        Backoff reconnect = new Backoff(Duration.ofMillis(100), lease.heartbeatEvery());
        Backoff between = patience.backoff();
        while (true) {
            try {
                @Nullable Attempt attempt = bid(openSession(), between == null, reconnect);
                if (attempt != null) {
                    return attempt;
                }
            } catch (DatabaseException failure) {
                requireWanted();
                if (!stoodBy || !failure.fault().passes()) {
                    throw failure;
                }
                problem = failure.getMessage();
                log.warn("Leadership '{}': standing by without a connection: {}", key.name(), failure.getMessage());
            }
            closeSession();
            Duration pause = (problem != null || between == null ? reconnect : between).next();
            long left = patience.left(start, all.nanos());
            if (left <= 0) {
                return new Attempt.Held(null);
            }
            TimeUnit.NANOSECONDS.sleep(Math.min(left, pause.toNanos()));
        }
    }

    /** @return null when it is to be tried again on another session */
    private @Nullable Attempt bid(Session on, boolean stay, Backoff reconnect) throws InterruptedException {
        id = Registration.of(on, key);
        on.query("enrol as a candidate", LeadershipSql.ENROL, ResultSet::next, id);
        problem = null;
        reconnect.reset();
        if (on.tryLock(key.key())) {
            return new Attempt.Leading(lead(on));
        }
        if (patience.isOnce()) {
            return new Attempt.Held(holder(on));
        }
        standBy(on);
        while (stay) {
            requireWanted();
            long left = patience.left(start, all.nanos());
            if (left <= 0) {
                return new Attempt.Held(holder(on));
            }
            if (on.awaitLock(key.key(), Duration.ofNanos(left))) {
                return new Attempt.Leading(lead(on));
            }
        }
        return null;
    }

    private Term lead(Session on) throws InterruptedException {
        long granted = all.nanos();
        while (true) {
            requireWanted();
            Optional<Term> won = on.query(
                    "take the epoch",
                    LeadershipSql.TAKE_EPOCH,
                    rows -> rows.next() ? Optional.of(begin(on, rows, granted)) : Optional.empty(),
                    id,
                    all.database().who(),
                    (int) lease.slice().toMillis());
            if (won.isPresent()) {
                return won.get();
            }
        }
    }

    private Term begin(Session on, ResultSet row, long granted) throws SQLException {
        Term won = new Term(all, key, row.getLong(1), instant(row, 2), lease, on);
        long vacantMicros = row.getLong(3);
        Duration takeover =
                row.wasNull() ? Duration.ofNanos(all.nanos() - granted) : Duration.ofNanos(vacantMicros * 1000);
        log.info(
                "Leadership '{}': acquired, epoch {}, {}",
                key.name(),
                won.epoch(),
                all.database().who());
        all.tell(new Change(key.name(), State.LEADING, won.epoch(), "acquired", takeover));
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
                    all.database().who());
            all.tell(new Change(key.name(), State.STANDBY, 0, reason, null));
        }
    }

    private void keep(Term won) {
        term = won;
        all.watch(won, session());
        if (!answer.complete(new Attempt.Leading(won))) {
            won.stepDown(); // nobody waits for it any more
        }
        while (!won.isOver()) {
            try {
                if (releaseRequested(won)) {
                    release(won);
                } else if (session().untilHeartbeat().isZero()) {
                    heartbeat(won);
                } else {
                    session().listen();
                }
            } catch (DatabaseException lost) {
                won.end(lost.getMessage(), lost);
            }
        }
        closeSession();
    }

    private boolean releaseRequested(Term won) {
        try {
            long untilHeartbeat = session().untilHeartbeat().toNanos();
            won.releaseRequested().get(Math.min(untilHeartbeat, LISTEN_EVERY.toNanos()), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException notYet) {
            return false;
        } catch (InterruptedException | ExecutionException impossible) {
            return true;
        }
    }

    private void heartbeat(Term won) {
        long epoch = session()
                .query(
                        "give a sign of life",
                        LeadershipSql.HEARTBEAT,
                        rows -> rows.next() && rows.getInt(1) == session().backend() ? rows.getLong(2) : -1,
                        id);
        if (epoch != won.epoch()) {
            won.end(epoch < 0 ? "the connection is not the same any more" : "epoch " + epoch + " was taken", null);
        } else {
            won.tellTrust();
        }
    }

    private void release(Term won) {
        try {
            session().query("release the epoch", LeadershipSql.RELEASE_EPOCH, ResultSet::next, id, won.epoch());
        } catch (DatabaseException gone) {
            log.debug("Leadership '{}': released without a word to the database", key.name(), gone);
        }
        closeSession();
        won.end("released", null);
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

    static Instant instant(ResultSet row, int column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    private Session openSession() throws InterruptedException {
        Session opened = Session.open(all.database(), lease, all::nanos, key.name());
        session = opened;
        requireWanted();
        return opened;
    }

    private Session session() {
        Session current = session;
        if (current == null) {
            throw new IllegalStateException("no session");
        }
        return current;
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

    /** What this process knows about its part. */
    LeadershipHealth health() {
        Term current = term;
        if (current == null) {
            return new LeadershipHealth(key.name(), State.STANDBY, 0, null, problem);
        }
        State state = current.state();
        return new LeadershipHealth(
                key.name(),
                state,
                current.epoch(),
                current.sinceHeartbeat(),
                state == State.SUSPENDED ? "the database does not answer" : null);
    }

    LeadershipKey key() {
        return key;
    }

    /** Ends the campaign or the term it won. */
    void close() {
        cancel();
        Term current = term;
        if (current != null) {
            current.close();
        }
    }
}
