package org.pgbaton.capture;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.pgoutput.DecodeException;
import org.pgbaton.database.Connector;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.LineLogger;
import org.pgbaton.leadership.Duty;
import org.pgbaton.leadership.Term;
import org.pgbaton.session.Backoff;
import org.pgbaton.session.Database;
import org.slf4j.Logger;

/**
 * The leader's work: lay the ground, read the slot, write to the log, acknowledge; and again, after anything that went wrong.
 *
 * <p>The server is told only what is in the log, and what it is told is recorded before, so that a slot somebody else moved is
 * recognised. When the captured tables are quiet it is told how far it has read for nothing, or it would keep the WAL of all others. A
 * slot of which a standby keeps a copy is told later: when the stream has come past the log's own commit, or that of the record. Then the
 * standby has that too, and if it is promoted can neither lack both the change and the row in the log, nor have a slot ahead of its record.
 *
 * <p>Once a second it compares what it rests on with what it was when the ground was laid: publication, tables, replica identities. A
 * difference ends the stream, and laying the ground anew records the gap and repairs what can be repaired. A change that cannot be told
 * ends it too, and is not tried again before an operator has decided.
 *
 * <p>One thread performs; any may ask how it goes.
 */
final class Capturing implements Duty {
    private static final Logger log = LineLogger.of(Capturing.class);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final Duration SOON = Duration.ofMillis(5);
    private static final Duration QUIET = Duration.ofMillis(200);

    /** What was read waits no longer for more of its kind. */
    private static final Duration LATEST = Duration.ofMillis(200);

    /** Somebody must change something first. */
    private static final Duration UNTIL_CORRECTED = Duration.ofSeconds(5);

    /** So much WAL of others, or so much time, and the server is told that we want none of it. */
    private static final long IDLE_BYTES = 16 << 20;

    private static final Duration IDLE_TIME = Duration.ofSeconds(10);

    /** So long nothing has come although there is something to read, and people are told. */
    private static final Duration LONG = Duration.ofSeconds(5);

    private static final long SOMETHING = 1 << 20;

    /** So often it is recorded that nothing is missing; the bounds of a gap after a crash are no wider. */
    private static final Duration RECORD_EVERY = Duration.ofMinutes(1);

    private static final int MOST_TRUNCATING = 1000;

    private final Database database;
    private final Plan plan;
    private final Duration lease;
    private final SlotWatch watch;
    private final Gaps gaps;
    private final AtomicLong changes = new AtomicLong();

    /** Transactions that truncated a captured table as a whole: their partitions are not suspect. */
    private final Set<Long> truncating = Collections.newSetFromMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
            return size() > MOST_TRUNCATING;
        }
    });

    private Groundwork.@Nullable Ground ground;
    private Gaps.@Nullable Place intact;
    private long intactRecordedAt = System.nanoTime();
    private long gapsTold;
    private volatile @Nullable String problem;
    private volatile @Nullable String mistake;
    private volatile @Nullable String stall;
    private volatile @Nullable String gapWarning;
    private volatile boolean isLaid;

    Capturing(Database database, Plan plan, Duration lease) {
        this.database = database;
        this.plan = plan;
        this.lease = lease;
        this.watch = new SlotWatch(database, plan);
        this.gaps = new Gaps(database, plan);
    }

    CaptureHealth health(boolean leading) {
        return new CaptureHealth(
                plan.name(),
                leading,
                changes.get(),
                leading ? watch.retainedBytes() : 0,
                leading ? problem : null,
                leading ? warning() : null);
    }

    private @Nullable String warning() {
        String all = Stream.of(gapWarning, stall, watch.warning())
                .filter(Objects::nonNull)
                .collect(Collectors.joining(" "));
        return all.isEmpty() ? null : all;
    }

    List<String> tableNames() {
        return plan.tables().stream().map(CapturedTable::name).toList();
    }

    /** Whether the slot is there, and what it sends is what this process wants. */
    boolean isLaid() {
        return isLaid;
    }

    /** What somebody has to change before anything can be captured; null: nothing. */
    @Nullable
    String mistake() {
        return mistake;
    }

    @Override
    public void perform(Term term) throws InterruptedException {
        Backoff pause = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));
        while (term.isLeading()) {
            try {
                attempt(term, pause);
            } catch (DatabaseException outage) {
                if (!term.isLeading()) {
                    return;
                }
                trouble(outage);
                rest(term, pause.next());
            }
        }
    }

    private void attempt(Term term, Backoff pause) throws InterruptedException {
        try {
            if (look().paused) {
                watch.look();
                keepGround(term);
                rest(term, LOOK_EVERY);
            } else {
                read(term, pause);
            }
        } catch (StuckException stuck) {
            problem = "Capture '" + plan.name() + "' stands still: " + stuck.what()
                    + " That change will always look like this, so it is not tried again by itself. Pass over it with 'baton captures skip "
                    + plan.name()
                    + " --reason …', which is recorded; or start the capture with a key that the change has.";
            log.warn("{}", problem);
            remember(problem);
            remember(stuck);
            awaitDecision(term, stuck);
        } catch (CaptureException | DecodeException wrong) {
            trouble(wrong);
            mistake = problem;
            remember(problem);
            rest(term, UNTIL_CORRECTED);
        }
    }

    private void trouble(RuntimeException why) {
        if (!String.valueOf(why.getMessage()).equals(problem)) {
            log.warn("Capture '{}': {}", plan.name(), why.getMessage());
            log.debug("Capture '{}': the cause", plan.name(), why);
        }
        problem = String.valueOf(why.getMessage());
    }

    /** Until an operator says that the change is to be passed over, or pauses the capture, after which it is tried once more. */
    private void awaitDecision(Term term, StuckException stuck) throws InterruptedException {
        while (term.isLeading()) {
            Look now = look();
            if (now.paused
                    || (now.skip != null
                            && !now.skip.isBefore(
                                    stuck.place().commitLsn(), stuck.place().ordinal()))) {
                return;
            }
            watch.look();
            keepGround(term);
            rest(term, LOOK_EVERY);
        }
    }

    /** Also while nobody reads, what is missing from the publication is found and repaired: it would be missing for good. */
    private void keepGround(Term term) {
        Groundwork.Ground current = ground;
        if (current != null && !isIntact(term, current.basis())) {
            ground = new Groundwork(database, plan).lay(term);
        }
    }

    /** Whether everything that the capture rests on is as it was when the ground was laid. */
    private boolean isIntact(Term term, Basis basis) {
        return database.call("compare what the capture rests on", connection -> {
            Gaps.Place place = Gaps.Place.now(connection);
            boolean same = basis.isSame(basis.now(connection, plan));
            if (same) {
                intact = place;
            }
            Gaps.Place last = intact;
            if (last != null && (!same || System.nanoTime() - intactRecordedAt > RECORD_EVERY.toNanos())) {
                term.guard(connection);
                new Groundwork(database, plan).intact(connection, last);
                intactRecordedAt = System.nanoTime();
            }
            return same;
        });
    }

    private void read(Term term, Backoff pause) throws InterruptedException {
        Groundwork.Ground laid = new Groundwork(database, plan).lay(term);
        ground = laid;
        isLaid = true;
        boolean isProven = problem == null || mistake != null;
        mistake = null;
        try (WalStream stream = open(term)) {
            log.info("Capture '{}': reads from slot '{}' in epoch {}", plan.name(), plan.slot(), term.epoch());
            if (isProven) {
                problem = null;
                remember((String) null);
            }
            new Reading(term, laid, stream, pause, isProven).run();
        } finally {
            tellStall(null);
        }
    }

    /**
     * The last reader's connection may still be there: it was frozen, or its host is gone and the server has not noticed. We lead, so it
     * is over, and is ended.
     */
    private WalStream open(Term term) throws InterruptedException {
        long start = System.nanoTime();
        int ended = 0;
        while (true) {
            try {
                Connector replication = database.replication();
                if (replication == null) {
                    throw new CaptureException("Capture '" + plan.name() + "' was not told where to read the WAL.");
                }
                return WalStream.open(replication, plan, lease, database.who());
            } catch (SQLException refused) {
                if (!"55006".equals(refused.getSQLState()) || !term.isLeading()) {
                    throw SlotRefusal.of(plan, refused);
                }
                FormerReader former = new FormerReader(database, plan);
                String inTheWay = former.end(ended);
                ended = former.pid();
                if (inTheWay != null && System.nanoTime() - start > lease.toNanos()) {
                    problem = inTheWay;
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
        private long wroteAt = System.nanoTime();

        /** With a standby: what may be told when the stream has come so far; 0 if nothing waits. */
        private long held;

        private long heldUntil;

        private final Basis basis;
        private final Backoff pause;
        private final List<Gaps.Suspect> suspects;
        private boolean isProven;
        private long received;
        private long movedAt = System.nanoTime();

        /** @param isProven whether there is no trouble that is over only when something has come */
        Reading(Term term, Groundwork.Ground ground, WalStream stream, Backoff pause, boolean isProven) {
            this.term = term;
            this.stream = stream;
            this.scribe = new Scribe(database, plan, ground, truncating);
            this.failover = ground.failover();
            this.recorded = ground.acknowledged();
            this.basis = ground.basis();
            this.pause = pause;
            this.suspects = new ArrayList<>(gaps.suspects());
            this.isProven = isProven;
            this.received = stream.received();
        }

        void run() throws InterruptedException {
            while (term.isLeading()) {
                List<ByteBuffer> handful = stream.take(
                        scribe.hasDrafts() ? Duration.ZERO : scribe.existing().isBusy() ? SOON : QUIET);
                if (handful != null) {
                    take(handful);
                }
                if (scribe.isFull() || (scribe.hasDrafts() && (handful == null || isLate()))) {
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
                    watch.look();
                    lookForStall();
                    resolveSuspects();
                    if (look().paused || !isIntact(term, basis)) {
                        return;
                    }
                    lookedAt = System.nanoTime(); // a look may take longer than the time between two
                }
            }
        }

        /** Somebody who writes without a pause must not make others wait for what was written before. */
        private boolean isLate() {
            return System.nanoTime() - wroteAt > LATEST.toNanos();
        }

        private void take(List<ByteBuffer> handful) {
            proven();
            try {
                handful.forEach(scribe::take);
            } catch (StuckException stuck) {
                if (scribe.hasDrafts()) {
                    write();
                }
                throw stuck;
            }
        }

        /** The server does send. Before that, a connection says nothing: the last ones were ended again and again. */
        private void proven() {
            if (!isProven) {
                isProven = true;
                pause.reset();
                problem = null;
                remember((String) null);
            }
        }

        private void lookForStall() {
            long now = stream.received();
            boolean isBehind = watch.end() - now > SOMETHING;
            if (now != received || !isBehind) {
                received = now;
                movedAt = System.nanoTime();
                proven();
                tellStall(null);
            } else if (stall == null && System.nanoTime() - movedAt > LONG.toNanos()) {
                tellStall("Capture '" + plan.name() + "': for more than " + LONG.toSeconds()
                        + " s the server has sent nothing, although there is WAL to read behind " + Mark.text(now)
                        + ". Probably it reads over a large transaction, of these tables or of others. It goes on by itself; the WAL is kept "
                        + "meanwhile.");
            }
        }

        /** When the stream has come past them, it has told whatever it will tell. */
        private void resolveSuspects() {
            if (suspects.isEmpty() || scribe.hasDrafts()) {
                return;
            }
            long passed = Math.max(scribe.done(), scribe.isInTransaction() ? 0 : stream.passed());
            suspects.removeIf(suspect -> {
                if (Long.compareUnsigned(passed, suspect.lsn()) < 0) {
                    return false;
                }
                gaps.resolve(suspect, truncating.contains(suspect.transaction()));
                return true;
            });
        }

        private void write() {
            changes.addAndGet(scribe.write(term));
            recorded = Math.max(recorded, scribe.done());
            hasWritten = true;
            wroteAt = System.nanoTime();
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

    private record Look(boolean paused, @Nullable Mark skip) {}

    /** What operators want, and what they should know. */
    private Look look() {
        return database.call("look what is wanted of the capture", connection -> {
            try (PreparedStatement select =
                    connection.prepareStatement(database.schema().in(CaptureSql.LOOK))) {
                select.setString(1, plan.name());
                try (ResultSet row = select.executeQuery()) {
                    if (!row.next()) {
                        return new Look(false, null);
                    }
                    String skip = row.getString(2);
                    Look seen = new Look(
                            row.getBoolean(1), skip == null ? null : new Mark(Mark.parse(skip), row.getLong(3)));
                    warnOfGaps(connection, row.getLong(4));
                    return seen;
                }
            }
        });
    }

    private void warnOfGaps(Connection connection, long open) throws SQLException {
        if (open == gapsTold) {
            return;
        }
        gapsTold = open;
        gapWarning = Gaps.list(connection, database.schema().in(CaptureSql.GAPS), plan.name()).stream()
                .filter(CaptureGap::isOpen)
                .findFirst()
                .map(gap -> gap.sentence() + (open > 1 ? " There are " + (open - 1) + " more gaps." : "") + " "
                        + gap.advice())
                .orElse(null);
    }

    private void tellStall(@Nullable String what) {
        if (Objects.equals(what, stall)) {
            return;
        }
        if (what != null) {
            log.warn("{}", what);
        }
        stall = what;
        database.call("record how the capture is", connection -> {
            try (PreparedStatement update =
                    connection.prepareStatement(database.schema().in(CaptureSql.WARNING))) {
                update.setString(1, what);
                update.setString(2, plan.name());
                update.setString(3, what);
                return update.executeUpdate();
            }
        });
    }

    private void remember(StuckException stuck) {
        database.call("record the change that holds the capture up", connection -> {
            try (PreparedStatement update =
                    connection.prepareStatement(database.schema().in(CaptureSql.STUCK))) {
                update.setString(1, stuck.place().lsn());
                update.setLong(2, stuck.place().ordinal());
                update.setString(3, stuck.what());
                update.setString(4, plan.name());
                return update.executeUpdate();
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
