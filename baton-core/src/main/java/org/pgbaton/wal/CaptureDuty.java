package org.pgbaton.wal;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.CaptureException;
import org.pgbaton.capture.CaptureHealth;
import org.pgbaton.database.Connector;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.leadership.Duty;
import org.pgbaton.leadership.Term;
import org.pgbaton.pgoutput.DecodeException;
import org.pgbaton.pgoutput.Decoder;
import org.pgbaton.publication.CapturePlan;
import org.pgbaton.publication.GapRecords;
import org.pgbaton.publication.PartitionTruncations;
import org.pgbaton.publication.PublicationWatch;
import org.pgbaton.session.Backoff;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Lease;
import org.pgbaton.session.LineLogger;
import org.pgbaton.slot.FormerReader;
import org.pgbaton.slot.ReplicationSlot;
import org.pgbaton.slot.SlotRefusal;
import org.pgbaton.slot.SlotWatch;
import org.pgbaton.slot.WalStream;
import org.pgbaton.snapshot.ExistingRows;
import org.slf4j.Logger;

/**
 * The duty of the process that leads a capture: prepare, read the slot, write to the log, acknowledge; and again, after anything that went wrong.
 *
 * <p>Once a second it compares publication, tables and replica identities with their state at the preparation. A difference ends the stream. The next
 * preparation records the gap, and repairs what can be repaired. An unreadable change ends the stream too, and is not tried again before an operator
 * has decided.
 *
 * <p>One thread performs; any may ask for the health.
 */
final class CaptureDuty implements Duty {
    private static final Logger log = LineLogger.of(CaptureDuty.class);
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final Duration BETWEEN_ATTEMPTS_TO_OPEN = Duration.ofMillis(20);

    /** The pause when somebody has to change something first. */
    private static final Duration UNTIL_CORRECTED = Duration.ofSeconds(5);

    private final DatabaseAccess database;
    private final CapturePlan plan;
    private final Duration lease;
    private final LongSupplier nanos;
    private final CaptureReport report;
    private final CaptureWatch watch;
    private final PartitionTruncations truncations;
    private final Preparation preparation;
    private final AtomicLong changes = new AtomicLong();
    private @Nullable Prepared prepared;
    private volatile boolean isPrepared;

    CaptureDuty(DatabaseAccess database, CapturePlan plan, Lease lease, LongSupplier nanos) {
        this.database = database;
        this.plan = plan;
        this.lease = lease.length();
        this.nanos = nanos;
        GapRecords gaps = new GapRecords(database, plan);
        ReplicationSlot slot = new ReplicationSlot(database, plan);
        this.report = new CaptureReport(database, plan);
        this.watch = new CaptureWatch(
                database,
                plan.name(),
                new SlotWatch(slot, plan),
                new PublicationWatch(database, plan, gaps, nanos),
                report);
        this.truncations = new PartitionTruncations(database, plan);
        this.preparation = new Preparation(database, plan, gaps, slot);
    }

    /**
     * Finds mistakes before anybody leads, and creates the log, so that its readers need not wait for a leader.
     *
     * @throws CaptureException if this cannot be captured
     */
    void checkAndMakeLog() {
        preparation.check();
        preparation.makeLog();
    }

    /** @param otherProblem shown if reading has none */
    CaptureHealth health(boolean isLeading, @Nullable String otherProblem) {
        String problem = isLeading ? report.problem() : null;
        return new CaptureHealth(
                plan.name(),
                isLeading,
                changes.get(),
                isLeading ? watch.retainedBytes() : 0,
                problem == null ? otherProblem : problem,
                isLeading ? watch.warning() : null);
    }

    /** Whether this process has prepared everything: the slot exists, and sends what this process wants. */
    boolean isPrepared() {
        return isPrepared;
    }

    /** What somebody has to change before anything can be captured; null if nothing. */
    @Nullable
    String mistake() {
        return report.mistake();
    }

    @Override
    public void perform(Term term) throws InterruptedException {
        Backoff pause = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));
        while (term.isLeading()) {
            try {
                readOrWait(term, pause);
            } catch (DatabaseException outage) {
                if (!term.isLeading()) {
                    return;
                }
                report.failed(outage);
                rest(term, pause.next());
            }
        }
    }

    private void readOrWait(Term term, Backoff pause) throws InterruptedException {
        try {
            if (watch.wishes().isPaused()) {
                lookWhileNobodyReads(term);
            } else {
                read(term, pause);
            }
        } catch (UnreadableChangeException stuck) {
            report.stuckAt(stuck);
            awaitDecision(term, stuck.place());
        } catch (CaptureException | DecodeException wrong) {
            report.mistaken(wrong);
            rest(term, UNTIL_CORRECTED);
        }
    }

    /** Waits until an operator says that the change is to be skipped, or pauses the capture; after that it is tried once more. */
    private void awaitDecision(Term term, ChangePlace stuck) throws InterruptedException {
        while (term.isLeading()) {
            OperatorWishes wishes = watch.wishes();
            if (wishes.isPaused() || wishes.skips(stuck)) {
                return;
            }
            lookWhileNobodyReads(term);
        }
    }

    /** The publication is repaired even while nobody reads: changes that it does not send are missing for good. */
    private void lookWhileNobodyReads(Term term) throws InterruptedException {
        watch.lookAtSlot();
        Prepared last = prepared;
        if (last != null && !watch.isIntact(term, last.state())) {
            prepared = preparation.prepare(term);
        }
        rest(term, LOOK_EVERY);
    }

    private void read(Term term, Backoff pause) throws InterruptedException {
        Prepared ready = preparation.prepare(term);
        prepared = ready;
        isPrepared = true;
        boolean isProven = report.problem() == null || report.mistake() != null;
        report.clearMistake();
        try (WalStream stream = open(term)) {
            log.info("Capture '{}': reads from slot '{}' in epoch {}", plan.name(), plan.slot(), term.epoch());
            if (isProven) {
                report.clearProblem();
            }
            read(term, ready, stream, new StreamProof(report, pause, isProven));
        } finally {
            report.clearStall();
        }
    }

    private void read(Term term, Prepared ready, WalStream stream, StreamProof proof) throws InterruptedException {
        ChangeCollector collector = new ChangeCollector(
                plan,
                ready,
                new Decoder(new CatalogDelimiters(database)),
                new ExistingRows(database, plan, ready.tables()),
                truncations);
        LogWriter writer = new LogWriter(database, plan, ready.log(), collector, changes);
        SlotAcknowledgement acknowledgement = new SlotAcknowledgement(database, plan, ready, stream, nanos);
        StallWatch stall = new StallWatch(stream.received(), nanos);
        truncations.load();
        new ReadingLoop(term, stream, collector, writer, acknowledgement, proof, nanos).run(passed -> {
            watch.lookAtSlot();
            checkStall(stream, stall, proof);
            truncations.resolve(passed);
            return !watch.wishes().isPaused() && watch.isIntact(term, ready.state());
        });
    }

    private void checkStall(WalStream stream, StallWatch stall, StreamProof proof) {
        long received = stream.received();
        if (stall.isMoving(received, watch.walEnd())) {
            proof.received();
            report.clearStall();
        } else if (stall.isStalled()) {
            report.stalledAt(received);
        }
    }

    /**
     * The connection of the last reader may still be there: it was frozen, or its host is gone and the server has not noticed. We lead, so its term is
     * over, and its connection is ended.
     */
    private WalStream open(Term term) throws InterruptedException {
        Connector replication = database.replication();
        if (replication == null) {
            throw new CaptureException("Capture '" + plan.name() + "' was not told where to read the WAL.");
        }
        FormerReader former = new FormerReader(database, plan);
        long start = nanos.getAsLong();
        while (true) {
            try {
                return WalStream.open(replication, plan, lease, database.who());
            } catch (SQLException refused) {
                if (!SlotRefusal.isInUse(refused) || !term.isLeading()) {
                    throw SlotRefusal.of(plan, refused);
                }
                String inTheWay = former.end();
                if (inTheWay != null && nanos.getAsLong() - start > lease.toNanos()) {
                    report.heldUpBy(inTheWay);
                }
                rest(term, BETWEEN_ATTEMPTS_TO_OPEN);
            }
        }
    }

    private void rest(Term term, Duration pause) throws InterruptedException {
        long end = nanos.getAsLong() + pause.toNanos();
        while (term.isLeading() && nanos.getAsLong() < end) {
            Thread.sleep(Math.min(50, Math.max(1, pause.toMillis())));
        }
    }
}
