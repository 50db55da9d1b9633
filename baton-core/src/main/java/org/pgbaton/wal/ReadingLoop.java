package org.pgbaton.wal;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.pgbaton.leadership.Term;
import org.pgbaton.session.Failpoint;
import org.pgbaton.slot.WalStream;

/**
 * Reads one stream from its beginning to its end: takes messages, writes them to the log, acknowledges them, sends existing rows in between. It ends
 * when the term is over or the check says so, which it asks once a second.
 *
 * <p>Threading: one thread runs it.
 */
final class ReadingLoop {
    private static final Duration CHECK_EVERY = Duration.ofSeconds(1);

    /** How long to wait for messages while existing rows are sent, and otherwise. */
    private static final Duration SOON = Duration.ofMillis(5);

    private static final Duration QUIET = Duration.ofMillis(200);

    /** Changes wait no longer than this for more of them. */
    private static final Duration LATEST = Duration.ofMillis(200);

    /** Decides whether to read on. */
    @FunctionalInterface
    interface Check {
        /** @param passed up to where everything was processed; 0 if drafts wait */
        boolean mayContinue(long passed);
    }

    private final Term term;
    private final WalStream stream;
    private final ChangeCollector collector;
    private final LogWriter writer;
    private final SlotAcknowledgement acknowledgement;
    private final StreamProof proof;
    private final LongSupplier nanos;
    private long wroteAt;

    ReadingLoop(
            Term term,
            WalStream stream,
            ChangeCollector collector,
            LogWriter writer,
            SlotAcknowledgement acknowledgement,
            StreamProof proof,
            LongSupplier nanos) {
        this.term = term;
        this.stream = stream;
        this.collector = collector;
        this.writer = writer;
        this.acknowledgement = acknowledgement;
        this.proof = proof;
        this.nanos = nanos;
        this.wroteAt = nanos.getAsLong();
    }

    void run(Check check) throws InterruptedException {
        long checkedAt = nanos.getAsLong();
        while (term.isLeading()) {
            step();
            boolean due = nanos.getAsLong() - checkedAt > CHECK_EVERY.toNanos();
            if (due || collector.existing().isBusy()) {
                collector.existing().step();
            }
            if (due) {
                if (!check.mayContinue(collector.hasDrafts() ? 0 : passed())) {
                    return;
                }
                checkedAt = nanos.getAsLong(); // a check may take longer than the time between two
            }
        }
    }

    private void step() throws InterruptedException {
        List<ByteBuffer> handful = stream.take(
                collector.hasDrafts() ? Duration.ZERO : collector.existing().isBusy() ? SOON : QUIET);
        if (handful != null) {
            take(handful);
        }
        if (collector.isFull() || (collector.hasDrafts() && (handful == null || isLate()))) {
            write();
        }
        if (!collector.hasDrafts()) {
            acknowledgement.send(term, collector.done(), passed());
        }
    }

    /** An application that writes without a pause must not delay what it wrote before. */
    private boolean isLate() {
        return nanos.getAsLong() - wroteAt > LATEST.toNanos();
    }

    private void take(List<ByteBuffer> handful) {
        proof.received();
        try {
            handful.forEach(collector::take);
        } catch (UnreadableChangeException stuck) {
            if (collector.hasDrafts()) {
                write();
            }
            throw stuck;
        }
    }

    private void write() {
        Failpoint.BEFORE_RECORD.pass();
        writer.write(term);
        acknowledgement.written(collector.done());
        wroteAt = nanos.getAsLong();
    }

    private long passed() {
        return collector.passed(stream.passed());
    }
}
