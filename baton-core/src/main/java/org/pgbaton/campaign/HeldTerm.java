package org.pgbaton.campaign;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.leadership.Duty;
import org.pgbaton.leadership.LeadershipChange;
import org.pgbaton.leadership.LeadershipLostException;
import org.pgbaton.leadership.LeadershipState;
import org.pgbaton.leadership.Term;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Lease;
import org.pgbaton.session.LineLogger;
import org.pgbaton.session.LogFields;
import org.pgbaton.session.Session;
import org.slf4j.Logger;

/** A term that this process won, on the session that holds its lock. Thread-safe. */
final class HeldTerm implements Term {
    private static final Logger log = LineLogger.of(HeldTerm.class);

    /** How long an interrupted duty may take to return before the term ends without it, behind the fence. */
    private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(1);

    private final DatabaseAccess database;
    private final LeadershipNews news;
    private final LeadershipKey key;
    private final long epoch;
    private final Instant since;
    private final Lease lease;
    private final Session session;

    /** Private, so that no lock of the caller's can keep us from ending. */
    private final Object lock = new Object();

    private final TermThreads workers = new TermThreads();
    private final CompletableFuture<Void> releaseRequested = new CompletableFuture<>();
    private final CompletableFuture<String> over = new CompletableFuture<>();
    private LeadershipState told = LeadershipState.LEADING;
    private volatile boolean ending;
    private volatile boolean leaving;
    private volatile boolean done;
    private volatile boolean recorded;
    private volatile @Nullable String reason;
    /** Over, and nobody had wished so. */
    private volatile boolean lost;

    HeldTerm(
            DatabaseAccess database,
            LeadershipNews news,
            LeadershipKey key,
            long epoch,
            Instant since,
            Lease lease,
            Session session) {
        this.database = database;
        this.news = news;
        this.key = key;
        this.epoch = epoch;
        this.since = since;
        this.lease = lease;
        this.session = session;
    }

    @Override
    public String leadership() {
        return key.name();
    }

    @Override
    public long epoch() {
        return epoch;
    }

    @Override
    public Instant since() {
        return since;
    }

    @Override
    public LeadershipState state() {
        if (leaving || isOver()) {
            return LeadershipState.LOST;
        }
        return session.isTrusted() ? LeadershipState.LEADING : LeadershipState.SUSPENDED;
    }

    @Override
    public boolean isLeading() {
        return !ending && state() == LeadershipState.LEADING;
    }

    @Override
    public Duration sinceHeartbeat() {
        return session.sinceRoundTrip();
    }

    @Override
    public CompletableFuture<String> whenOver() {
        return over.thenApplyAsync(why -> why);
    }

    @Override
    public void guard(Connection connection) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "The guard protects a transaction, and this connection is in autocommit mode: "
                            + "call setAutoCommit(false) first, or use your framework's transaction.");
        }
        LeadershipState now = state();
        if (now != LeadershipState.LEADING) {
            throw new LeadershipLostException(
                    key.name(),
                    epoch,
                    now == LeadershipState.LOST
                            ? "the term is over (" + why() + ")."
                            : "the database has not answered this process for "
                                    + sinceHeartbeat().toMillis() + " ms.",
                    null);
        }
        try (PreparedStatement guard =
                connection.prepareStatement(database.schema().in(LeadershipSql.GUARD))) {
            guard.setString(1, key.name());
            guard.setLong(2, epoch);
            guard.setDouble(3, lease.length().toMillis() / 1000.0);
            guard.execute();
        } catch (SQLException refused) {
            Fault fault = Fault.of(refused);
            if (fault == Fault.FENCED || fault == Fault.CONFLICT) {
                throw new LeadershipLostException(
                        key.name(),
                        epoch,
                        DatabaseException.of("guard", refused).getMessage(),
                        refused);
            }
            throw refused;
        }
    }

    @Override
    public void confirm() {
        database.call("confirm that the term still leads", connection -> {
            guard(connection);
            return true;
        });
    }

    @Override
    public void done() {
        done = true;
    }

    @Override
    public boolean isRecorded() {
        return recorded;
    }

    boolean isDone() {
        return done;
    }

    /** For the keeper. */
    void recorded() {
        recorded = true;
    }

    @Override
    public void stepDown() {
        beginToEnd();
        if (workers.isEmpty()) {
            releaseRequested.complete(null);
        }
    }

    @Override
    public void close() {
        close(lease.length());
    }

    @Override
    public void close(Duration drain) {
        beginToEnd();
        if (!isOver() && !workers.awaitOthers(drain)) {
            workers.interruptOthers();
            if (!workers.awaitOthers(AFTER_INTERRUPT)) {
                workers.others().forEach(this::abandon);
            }
        }
        releaseRequested.complete(null);
        over.join();
    }

    /** Under the lock, so that no duty starts between the look and the word. */
    private void beginToEnd() {
        synchronized (lock) {
            ending = true;
        }
    }

    private void abandon(Thread worker) {
        Exception where = new Exception("where " + worker.getName() + " is");
        where.setStackTrace(worker.getStackTrace());
        log.warn(
                "Leadership '{}': a duty did not return although it was interrupted; epoch {} ends without it, and the guard "
                        + "keeps its late writes out",
                key.name(),
                epoch,
                where);
    }

    /** Performs the duty on the caller's thread, which is interrupted when the term is lost. */
    void perform(Duty duty) throws Exception {
        synchronized (lock) {
            if (ending || isOver()) {
                throw new LeadershipLostException(key.name(), epoch, why(), null);
            }
            workers.enter();
        }
        try {
            duty.perform(this);
        } catch (InterruptedException ended) {
            if (isOver() && workers.wasInterrupted()) {
                throw new LeadershipLostException(key.name(), epoch, why(), ended);
            }
            throw ended;
        } finally {
            workers.leave();
            if (ending && workers.isEmpty()) {
                releaseRequested.complete(null);
            }
        }
    }

    private String why() {
        String ended = reason;
        return ended == null ? "it is being released" : ended;
    }

    /** For the keeper: the wish to end the term. */
    CompletableFuture<Void> releaseRequested() {
        return releaseRequested;
    }

    boolean isOver() {
        return reason != null;
    }

    /** For health: null if it goes on or was released. */
    @Nullable
    String lostBecause() {
        return lost ? reason : null;
    }

    Duration slice() {
        return lease.slice();
    }

    boolean isEnding() {
        return ending;
    }

    /** For the keeper: the session is about to close. */
    void leave() {
        leaving = true;
    }

    /** Waits for the end without a detour over another thread. */
    void awaitEnd() throws InterruptedException {
        try {
            over.get();
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Tells the listeners when trust ended or came back. */
    void tellTrust() {
        synchronized (lock) {
            LeadershipState now = state();
            if (now == told || now == LeadershipState.LOST) {
                return;
            }
            told = now;
            String because = now == LeadershipState.SUSPENDED
                    ? "no answer from the database for " + sinceHeartbeat().toMillis() + " ms"
                    : "the database answers again";
            log.warn("Leadership '{}': {} in epoch {}, {}", key.name(), now, epoch, because);
            news.tell(new LeadershipChange(key.name(), now, epoch, because, null));
        }
    }

    /** The term is over. The first reason counts. The listeners are told before anybody can go on to the next term. */
    void end(String because, @Nullable Throwable cause) {
        synchronized (lock) {
            if (isOver()) {
                return;
            }
            lost = !releaseRequested.isDone();
            reason = because;
            told = LeadershipState.LOST;
            if (!releaseRequested.isDone()) {
                workers.interruptOthers();
            }
            news.tell(new LeadershipChange(key.name(), LeadershipState.LOST, epoch, because, null));
        }
        if (releaseRequested.isDone()) {
            log.info(
                    "Leadership '{}': released epoch {}, {}", key.name(), LogFields.of("epoch", epoch), database.who());
        } else {
            log.warn(
                    "Leadership '{}': lost epoch {}, {}: {}",
                    key.name(),
                    LogFields.of("epoch", epoch),
                    database.who(),
                    because);
            log.debug("Leadership '{}': the cause", key.name(), cause);
        }
        over.complete(because);
    }

    @Override
    public String toString() {
        return "Term[" + key.name() + ", epoch " + epoch + ", " + state() + "]";
    }
}
