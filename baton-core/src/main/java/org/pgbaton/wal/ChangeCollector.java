package org.pgbaton.wal;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Draft;
import org.pgbaton.pgoutput.Change;
import org.pgbaton.pgoutput.DecodeException;
import org.pgbaton.pgoutput.Decoder;
import org.pgbaton.pgoutput.Lsn;
import org.pgbaton.pgoutput.Row;
import org.pgbaton.pgoutput.Transaction;
import org.pgbaton.pgoutput.WalMessage;
import org.pgbaton.publication.CapturePlan;
import org.pgbaton.publication.PartitionTruncations;
import org.pgbaton.session.LineLogger;
import org.pgbaton.snapshot.ExistingRows;
import org.slf4j.Logger;

/**
 * Decodes the messages of one stream, and collects drafts of the changes that are not in the log yet. After a crash, of ours or of the server, changes
 * come again: those up to the last place that was written are left out. Not thread-safe.
 */
final class ChangeCollector {
    private static final Logger logger = LineLogger.of(ChangeCollector.class);

    /** The types of messages that have a number in their transaction, the same whenever it is sent. */
    private static final String NUMBERED = "IUDTM";

    private static final int MOST_ROWS = 5000;
    private static final long MOST_BYTES = 4 << 20;

    private final CapturePlan plan;
    private final Decoder decoder;
    private final ChangeDrafts drafting;
    private final ExistingRows existing;
    private final PartitionTruncations truncations;

    /** Unreadable changes up to this one are skipped, because an operator said so. */
    private final @Nullable ChangePlace skip;

    /** The last change that is in the log. */
    private ChangePlace written;

    private @Nullable Transaction transaction;
    private final List<Draft> drafts = new ArrayList<>();
    private long bytes;

    /** The last change that will be in the log after the next write, and the end of the last whole transaction. */
    private ChangePlace reached;

    private long done;
    private @Nullable Instant committedAt;

    ChangeCollector(
            CapturePlan plan,
            Prepared prepared,
            Decoder decoder,
            ExistingRows existing,
            PartitionTruncations truncations) {
        this.plan = plan;
        this.decoder = decoder;
        this.drafting = new ChangeDrafts(
                plan, prepared.tables(), prepared.log(), new ChangeIds(prepared.system(), plan.slot()));
        this.existing = existing;
        this.truncations = truncations;
        this.skip = prepared.skip();
        this.written = prepared.written();
        this.reached = prepared.written();
    }

    /**
     * The drafts for one transaction, and the place in the WAL that the log reaches with them.
     *
     * @param before the last change that is in the log
     * @param reached the last change that will be
     * @param done the end of the last whole transaction; 0 if there was none
     * @param committedAt of the last change; null if there was none
     */
    record Collected(
            List<Draft> drafts,
            ChangePlace before,
            ChangePlace reached,
            long done,
            @Nullable Instant committedAt) {}

    /** @throws UnreadableChangeException if it is a change that cannot be captured; those before it were collected */
    void take(ByteBuffer message) {
        int size = message.remaining();
        int before = drafts.size();
        WalMessage decoded = decode(message);
        if (decoded != null) {
            take(decoded);
        }
        if (drafts.size() > before) {
            bytes += size;
        }
    }

    private @Nullable WalMessage decode(ByteBuffer message) {
        try {
            return decoder.decode(message);
        } catch (DecodeException broken) {
            Transaction within = transaction;
            if (within == null) {
                throw broken;
            }
            if (NUMBERED.indexOf(message.get(message.position())) < 0) {
                // The changes that it describes cannot be decoded then, and are reported one by one.
                logger.warn("Capture '{}' cannot read a description of the WAL: {}", plan.name(), broken.getMessage());
                return null;
            }
            skipOrRefuse(within, within.next(), "a message", broken);
            return null;
        }
    }

    /** Skips the change if an operator said so, else nothing goes on. */
    private void skipOrRefuse(Transaction within, long ordinal, String what, RuntimeException why) {
        if (!isNew(within, ordinal)) {
            return;
        }
        long lsn = within.begin().finalLsn().asLong();
        String sentence = what + ", change " + ordinal + " of the transaction that committed at " + Lsn.text(lsn) + " ("
                + within.begin().committedAt() + "), cannot be captured: " + why.getMessage();
        if (skip == null || skip.isBefore(lsn, ordinal)) {
            throw new UnreadableChangeException(new ChangePlace(lsn, ordinal), sentence, why);
        }
        logger.warn("Capture '{}' skips a change, as an operator said: {}", plan.name(), sentence);
        reach(within, ordinal);
    }

    private void take(WalMessage message) {
        if (message instanceof WalMessage.Begin begin) {
            transaction = new Transaction(begin);
            existing.saw(begin);
        } else if (message instanceof WalMessage.Commit commit) {
            transaction = null;
            done = commit.endLsn().asLong();
        } else if (transaction != null) {
            take(transaction, message);
        }
    }

    private void take(Transaction within, WalMessage message) {
        if (message instanceof WalMessage.RowChange row) {
            take(within, within.change(row));
        } else if (message instanceof WalMessage.Truncate truncate) {
            within.changes(truncate).forEach(change -> takeTruncate(within, change));
        } else if (message instanceof WalMessage.Emitted emitted && emitted.transactional()) {
            take(within, emitted, within.next());
        }
    }

    private void take(Transaction within, Change change) {
        existing.saw(change);
        if (!isNew(within, change.ordinal())) {
            return;
        }
        try {
            drafts.addAll(drafting.of(change));
            reach(within, change.ordinal());
        } catch (DecodeException | IllegalArgumentException why) {
            skipOrRefuse(within, change.ordinal(), "the " + change.operation().word() + " of " + change.table(), why);
        }
    }

    private void takeTruncate(Transaction within, Change change) {
        existing.saw(change);
        truncations.tableTruncated(within.begin().xid());
        if (isNew(within, change.ordinal())) {
            drafts.addAll(drafting.ofTruncate(change));
            reach(within, change.ordinal());
        }
    }

    private void take(Transaction within, WalMessage.Emitted emitted, long ordinal) {
        if (!isNew(within, ordinal)) {
            return;
        }
        if (emitted.prefix().equals(ExistingRows.PREFIX)) {
            List<Row> rows = existing.heard(emitted);
            if (!rows.isEmpty()) {
                drafts.addAll(drafting.ofExisting(rows, existing.table(), within.begin(), ordinal));
            }
        } else {
            drafts.addAll(drafting.of(emitted, within.begin(), ordinal));
        }
        reach(within, ordinal);
    }

    private boolean isNew(Transaction within, long ordinal) {
        return written.isBefore(within.begin().finalLsn().asLong(), ordinal);
    }

    private void reach(Transaction within, long ordinal) {
        reached = new ChangePlace(within.begin().finalLsn().asLong(), ordinal);
        committedAt = within.begin().committedAt();
    }

    /** Whether it is time to write. */
    boolean isFull() {
        return drafts.size() >= MOST_ROWS || bytes >= MOST_BYTES;
    }

    /** Whether there is something to write. */
    boolean hasDrafts() {
        return !drafts.isEmpty() || existing.hasProgress();
    }

    /** The end of the last transaction that is in the log as a whole; 0 if drafts wait. */
    long done() {
        return drafts.isEmpty() ? done : 0;
    }

    /**
     * Up to where everything was processed.
     *
     * @param received how far the server has read for us, if everything that it sent was taken
     */
    long passed(long received) {
        return Math.max(done(), transaction == null ? received : 0);
    }

    ExistingRows existing() {
        return existing;
    }

    Collected collected() {
        return new Collected(drafts, written, reached, done, committedAt);
    }

    /** The drafts are committed. */
    void written() {
        written = reached;
        existing.recorded();
        drafts.clear();
        bytes = 0;
    }
}
