package org.pgbaton.campaign;

import java.sql.ResultSet;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Failpoint;
import org.pgbaton.session.LineLogger;
import org.pgbaton.session.Session;
import org.slf4j.Logger;

/**
 * Keeps a term, on the thread that won it: a heartbeat every third of the lease, which also asks whether backend and epoch are
 * still the same, and a look at the socket twenty times a second, which costs no traffic; until the term is to end, or the
 * session is gone. A term that ends in good order says so in its row before its session closes.
 */
final class TermKeeper {
    private static final Logger log = LineLogger.of(TermKeeper.class);

    /** How soon a leader hears that the server ended its session. */
    private static final Duration LISTEN_EVERY = Duration.ofMillis(50);

    private final DatabaseAccess database;
    private final Session session;
    private final int id;
    private final HeldTerm term;

    /** @param id the leadership's row */
    TermKeeper(DatabaseAccess database, Session session, int id, HeldTerm term) {
        this.database = database;
        this.session = session;
        this.id = id;
        this.term = term;
    }

    /** Returns when the term is over and the session closed, in that order whatever happens: with the session the lock goes. */
    void keep() {
        try {
            session.holdOn();
            while (!term.isOver()) {
                step();
            }
        } catch (DatabaseException lost) {
            term.end(lost.getMessage(), lost);
        } catch (RuntimeException | Error failure) {
            term.end("it could not be kept: " + failure, failure);
        } finally {
            session.close();
        }
    }

    private void step() {
        if (releaseRequested()) {
            release();
        } else if (session.untilHeartbeat().isZero()) {
            heartbeat();
        } else {
            session.listen();
        }
    }

    private boolean releaseRequested() {
        try {
            long untilHeartbeat = session.untilHeartbeat().toNanos();
            term.releaseRequested().get(Math.min(untilHeartbeat, LISTEN_EVERY.toNanos()), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException notYet) {
            return false;
        } catch (InterruptedException | ExecutionException impossible) {
            return true;
        }
    }

    private void heartbeat() {
        long epoch = session.query(
                "give a sign of life",
                LeadershipSql.HEARTBEAT,
                rows -> rows.next() && rows.getInt(1) == session.backend() ? rows.getLong(2) : -1,
                id);
        if (epoch != term.epoch()) {
            term.end(epoch < 0 ? "the connection is not the same any more" : "epoch " + epoch + " was taken", null);
        } else {
            term.tellTrust();
        }
    }

    private void release() {
        term.leave();
        try {
            if (term.isDone()) {
                recordTheRun();
            }
            session.query("release the epoch", LeadershipSql.RELEASE_EPOCH, ResultSet::next, id, term.epoch());
            Failpoint.BEFORE_UNLOCK.pass();
            session.query("free the lock", LeadershipSql.FREE_LOCKS, ResultSet::next);
        } catch (DatabaseException gone) {
            log.debug("Leadership '{}': {} leaves without a word", term.leadership(), database.who(), gone);
        }
        session.close();
        term.end("released", null);
    }

    /** While the lock is held, so that nobody else begins a run in between. */
    private void recordTheRun() {
        boolean recorded = session.query(
                "record the run",
                LeadershipSql.FINISH_RUN,
                rows -> rows.next() && rows.getBoolean(1),
                id,
                term.epoch(),
                (int) term.slice().toMillis());
        if (recorded) {
            term.recorded();
        } else {
            log.warn(
                    "Leadership '{}': that epoch {} ended well could not be recorded", term.leadership(), term.epoch());
        }
    }
}
