package org.pgbaton.capture;

import java.nio.ByteBuffer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.pgoutput.DecodeException;
import org.pgbaton.database.Connector;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.leadership.Duty;
import org.pgbaton.leadership.Term;
import org.pgbaton.session.Backoff;
import org.pgbaton.session.Database;
import org.slf4j.Logger;
import org.pgbaton.database.LineLogger;

/**
 * The leader's work: lay the ground, read the slot, write to the log, acknowledge; and again, after anything that went wrong.
 *
 * <p>The server is told only what is in the log, and what it is told is recorded before, so that a slot somebody else moved is
 * recognised. When the captured tables are quiet it is told how far it has read for nothing, or it would keep the WAL of all others. A
 * slot of which a standby keeps a copy is told later: when the stream has come past the log's own commit, or that of the record. Then the
 * standby has that too, and if it is promoted can neither lack both the change and the row in the log, nor have a slot ahead of its record.
 *
 * <p>One thread performs; any may ask how it goes.
 */
final class Capturing implements Duty {
    private static final Logger log = LineLogger.of(Capturing.class);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final Duration SOON = Duration.ofMillis(5);
    private static final Duration QUIET = Duration.ofMillis(200);

    /** Somebody must change something first. */
    private static final Duration UNTIL_CORRECTED = Duration.ofSeconds(5);

    /** So much WAL of others, or so much time, and the server is told that we want none of it. */
    private static final long IDLE_BYTES = 16 << 20;

    private static final Duration IDLE_TIME = Duration.ofSeconds(10);

    private final Database database;
    private final Plan plan;
    private final Duration senderTimeout;
    private final SlotWatch watch;
    private final AtomicLong changes = new AtomicLong();
    private volatile @Nullable String problem;

    Capturing(Database database, Plan plan, Duration lease) {
        this.database = database;
        this.plan = plan;
        this.senderTimeout = lease;
        this.watch = new SlotWatch(database, plan);
    }

    CaptureHealth health(boolean leading) {
        return new CaptureHealth(
                plan.name(),
                leading,
                changes.get(),
                leading ? watch.retainedBytes() : 0,
                leading ? problem : null,
                leading ? watch.warning() : null);
    }

    @Override
    public void perform(Term term) throws InterruptedException {
        Backoff pause = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));
        while (term.isLeading()) {
            try {
                if (isPaused()) {
                    watch.look();
                    rest(term, LOOK_EVERY);
                } else {
                    read(term, pause);
                }
            } catch (CaptureException | DecodeException mistake) {
                trouble(mistake);
                remember(problem);
                rest(term, UNTIL_CORRECTED);
            } catch (DatabaseException outage) {
                if (!term.isLeading()) {
                    return;
                }
                trouble(outage);
                rest(term, pause.next());
            }
        }
    }

    private void trouble(RuntimeException why) {
        if (!String.valueOf(why.getMessage()).equals(problem)) {
            log.warn("Capture '{}': {}", plan.name(), why.getMessage());
            log.debug("Capture '{}': the cause", plan.name(), why);
        }
        problem = String.valueOf(why.getMessage());
    }

    private void read(Term term, Backoff pause) throws InterruptedException {
        Groundwork.Ground ground = new Groundwork(database, plan).lay(term);
        try (WalStream stream = open(term)) {
            log.info("Capture '{}': reads from slot '{}' in epoch {}", plan.name(), plan.slot(), term.epoch());
            problem = null;
            remember(null);
            pause.reset();
            new Reading(term, ground, stream).run();
        }
    }

    /** The last reader's connection may be there for a while: until the server notices that nobody answers any more. */
    private WalStream open(Term term) throws InterruptedException {
        long start = System.nanoTime();
        while (true) {
            try {
                Connector replication = database.replication();
                if (replication == null) {
                    throw new CaptureException("Capture '" + plan.name() + "' was not told where to read the WAL.");
                }
                return WalStream.open(replication, plan, senderTimeout, database.who());
            } catch (SQLException refused) {
                if (!"55006".equals(refused.getSQLState()) || !term.isLeading()) {
                    throw SlotRefusal.of(plan, refused);
                }
                if (System.nanoTime() - start > senderTimeout.toNanos() * 2) {
                    problem = "Capture '" + plan.name() + "': another program reads from the slot '" + plan.slot()
                            + "' (" + refused.getMessage() + "). Stop it; until then nothing is captured.";
                    remember(problem);
                }
                rest(term, Duration.ofMillis(20));
            }
        }
    }

    /** One stream, from its beginning to its end. */
    private final class Reading {
        private final Term term;
        private final WalStream stream;
        private final Scribe scribe;
        private final boolean failover;
        private long recorded;
        private long told;
        private long toldAt = System.nanoTime();
        private long lookedAt = System.nanoTime();

        private boolean hasWritten;

        /** With a standby: what may be told when the stream has come so far; 0 if nothing waits. */
        private long held;

        private long heldUntil;

        Reading(Term term, Groundwork.Ground ground, WalStream stream) {
            this.term = term;
            this.stream = stream;
            this.scribe = new Scribe(database, plan, ground);
            this.failover = ground.failover();
            this.recorded = ground.acknowledged();
        }

        void run() throws InterruptedException {
            while (term.isLeading()) {
                List<ByteBuffer> handful = stream.take(
                        scribe.hasDrafts() ? Duration.ZERO : scribe.existing().isBusy() ? SOON : QUIET);
                if (handful != null) {
                    handful.forEach(scribe::take);
                }
                if (scribe.isFull() || (handful == null && scribe.hasDrafts())) {
                    write();
                }
                if (!scribe.hasDrafts()) {
                    acknowledge();
                }
                boolean due = System.nanoTime() - lookedAt > LOOK_EVERY.toNanos();
                if (due || scribe.existing().isBusy()) {
                    scribe.existing().step();
                }
                if (due) {
                    lookedAt = System.nanoTime();
                    watch.look();
                    if (isPaused()) {
                        return;
                    }
                }
            }
        }

        private void write() {
            changes.addAndGet(scribe.write(term));
            recorded = Math.max(recorded, scribe.done());
            hasWritten = true;
        }

        /**
         * Nothing of ours is outstanding, so the server need not keep what it has read for us so far. Asked for after every handful, not
         * only in a pause: there may be none for days, of others' transactions, which PostgreSQL 14 sends too, or of ours.
         */
        private void acknowledge() {
            long passed = Math.max(scribe.done(), scribe.isInTransaction() ? 0 : stream.passed());
            if (heldUntil > 0) {
                if (passed < heldUntil) {
                    return;
                }
                heldUntil = 0;
                tell(held);
            }
            if (hasWritten) {
                hasWritten = false;
                tellLater(scribe.done());
                return;
            }
            boolean longEnough = System.nanoTime() - toldAt > IDLE_TIME.toNanos();
            if (passed - recorded > IDLE_BYTES || (longEnough && passed - recorded > IDLE_BYTES / 256)) {
                scribe.record(term, passed);
                recorded = passed;
                tellLater(passed);
            }
        }

        /** One at a time: under steady writes the stream would never come past the latest. */
        private void tellLater(long lsn) {
            if (failover) {
                held = lsn;
                heldUntil = scribe.end();
            } else {
                tell(lsn);
            }
        }

        private void tell(long lsn) {
            if (lsn <= told) {
                return;
            }
            told = lsn;
            toldAt = System.nanoTime();
            stream.acknowledge(lsn);
        }
    }

    private boolean isPaused() {
        return database.call("look whether the capture is paused", connection -> {
            try (PreparedStatement select =
                    connection.prepareStatement(database.schema().in(CaptureSql.IS_PAUSED))) {
                select.setString(1, plan.name());
                try (ResultSet row = select.executeQuery()) {
                    return row.next() && row.getBoolean(1);
                }
            }
        });
    }

    /** For everybody who asks the database. There may be no row yet to write it into. */
    private void remember(@Nullable String what) {
        database.call("record how the capture is", connection -> {
            try (PreparedStatement update =
                    connection.prepareStatement(database.schema().in(CaptureSql.PROBLEM))) {
                update.setString(1, what);
                update.setString(2, what);
                update.setString(3, plan.name());
                update.setString(4, what);
                return update.executeUpdate();
            }
        });
    }

    private static void rest(Term term, Duration pause) throws InterruptedException {
        long end = System.nanoTime() + pause.toNanos();
        while (term.isLeading() && System.nanoTime() < end) {
            Thread.sleep(Math.min(50, Math.max(1, pause.toMillis())));
        }
    }
}
