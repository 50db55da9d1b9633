package org.pgbaton.capture;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.pgoutput.Change;
import org.pgbaton.capture.pgoutput.DecodeException;
import org.pgbaton.capture.pgoutput.Decoder;
import org.pgbaton.capture.pgoutput.Row;
import org.pgbaton.capture.pgoutput.Transaction;
import org.pgbaton.capture.pgoutput.WalMessage;
import org.pgbaton.database.LineLogger;
import org.pgbaton.leadership.Term;
import org.pgbaton.log.Draft;
import org.pgbaton.log.Log;
import org.pgbaton.session.Database;
import org.slf4j.Logger;

/**
 * Writes what the WAL says into the log.
 *
 * <p>Guarantee: each change once. The rows and the mark behind the last of them are one transaction under the leadership's guard; what
 * comes again after a crash, of ours or of the server, is before the mark and left out. A large transaction is written in several, each
 * with its own mark.
 *
 * <p>Not thread-safe.
 */
final class Scribe {
    private static final Logger diary = LineLogger.of(Scribe.class);
    /** Types of messages that have a place in their transaction, the same whenever it is sent. */
    private static final String CHANGES = "IUDTM";

    private static final int MOST_ROWS = 5000;
    private static final long MOST_BYTES = 4 << 20;

    private final Database database;
    private final Plan plan;
    private final Log log;
    private final Drafting drafting;
    private final ExistingRows existing;
    private final Decoder decoder;

    /** Such changes up to this one that cannot be told are passed over; an operator said so. */
    private final @Nullable Mark skip;

    /** Transactions that have truncated a captured table, and told us so. */
    private final Set<Long> truncating;

    /** Where the log is. */
    private Mark mark;

    private @Nullable Transaction transaction;
    private final List<Draft> drafts = new ArrayList<>();
    private long bytes;

    /** Where the log will be after the next write, and what may be acknowledged then. */
    private Mark reached;

    private long done;
    private @Nullable Instant committedAt;

    Scribe(Database database, Plan plan, Groundwork.Ground ground, Set<Long> truncating) {
        this.database = database;
        this.plan = plan;
        this.log = ground.log();
        this.drafting = new Drafting(plan, ground);
        this.existing = new ExistingRows(database, plan, ground.tables());
        this.decoder = new Decoder(new ArrayDelimiters(database));
        this.skip = ground.skip();
        this.truncating = truncating;
        this.mark = ground.mark();
        this.reached = ground.mark();
    }

    /** @throws StuckException if it is a change that cannot be told; those before it are among the drafts */
    void take(ByteBuffer message) {
        int size = message.remaining();
        int before = drafts.size();
        take(decoded(message));
        if (drafts.size() > before) {
            bytes += size;
        }
    }

    private @Nullable WalMessage decoded(ByteBuffer message) {
        try {
            return decoder.decode(message);
        } catch (DecodeException broken) {
            Transaction within = transaction;
            if (within == null) {
                throw broken;
            }
            if (CHANGES.indexOf(message.get(message.position())) < 0) {
                diary.warn("Capture '{}' cannot read a description of the WAL: {}", plan.name(), broken.getMessage());
                return null; // and with it none of the changes that it describes: they will say so
            }
            within.next();
            untold(within, within.ordinal(), "a message", broken);
            return null;
        }
    }

    /** It will never be any better: passed over if an operator said so, else nothing goes on. */
    private void untold(Transaction within, long ordinal, String what, RuntimeException why) {
        long lsn = within.begin().finalLsn().asLong();
        if (!mark.isBefore(lsn, ordinal)) {
            return;
        }
        String sentence = what + ", change " + ordinal + " of the transaction that committed at " + Mark.text(lsn)
                + " (" + within.begin().committedAt() + "), cannot be told: " + why.getMessage();
        if (skip == null || skip.isBefore(lsn, ordinal)) {
            throw new StuckException(new Mark(lsn, ordinal), sentence, why);
        }
        diary.warn("Capture '{}' passes over it, as an operator said: {}", plan.name(), sentence);
        reach(within, ordinal);
    }

    private void take(@Nullable WalMessage message) {
        if (message == null) {
            return;
        }
        if (message instanceof WalMessage.Begin begin) {
            transaction = new Transaction(begin);
            existing.saw(begin);
        } else if (message instanceof WalMessage.Commit commit) {
            transaction = null;
            done = commit.endLsn().asLong();
        } else if (transaction != null) {
            change(transaction, message);
        }
    }

    private void change(Transaction within, WalMessage message) {
        if (message instanceof WalMessage.RowChange row) {
            Change change = within.change(row);
            existing.saw(change);
            if (isNew(within) && !draft(within, change)) {
                return;
            }
        } else if (message instanceof WalMessage.Truncate truncate) {
            for (Change change : within.changes(truncate)) {
                existing.saw(change);
                truncating.add(within.begin().xid());
                if (mark.isBefore(within.begin().finalLsn().asLong(), change.ordinal())) {
                    drafts.addAll(drafting.ofTruncate(change));
                    reach(within, change.ordinal());
                }
            }
            return;
        } else if (message instanceof WalMessage.Emitted emitted && emitted.transactional()) {
            long ordinal = within.next();
            if (isNew(within)) {
                drafts.addAll(
                        emitted.prefix().equals(ExistingRows.PREFIX)
                                ? existing(emitted, within.begin(), ordinal)
                                : drafting.of(emitted, within.begin(), ordinal));
            }
        } else {
            return;
        }
        if (isNew(within)) {
            reach(within, within.ordinal());
        }
    }

    /** @return false if it was passed over */
    private boolean draft(Transaction within, Change change) {
        try {
            drafts.addAll(drafting.of(change));
            return true;
        } catch (DecodeException | IllegalArgumentException why) {
            untold(within, change.ordinal(), "the " + change.operation().word() + " of " + change.table(), why);
            return false;
        }
    }

    private List<Draft> existing(WalMessage.Emitted emitted, WalMessage.Begin begin, long ordinal) {
        List<Row> rows = existing.heard(emitted);
        return rows.isEmpty() ? List.of() : drafting.ofExisting(rows, existing.table(), begin, ordinal);
    }

    private boolean isNew(Transaction within) {
        return mark.isBefore(within.begin().finalLsn().asLong(), within.ordinal());
    }

    private void reach(Transaction within, long ordinal) {
        reached = new Mark(within.begin().finalLsn().asLong(), ordinal);
        committedAt = within.begin().committedAt();
    }

    boolean isFull() {
        return drafts.size() >= MOST_ROWS || bytes >= MOST_BYTES;
    }

    boolean hasDrafts() {
        return !drafts.isEmpty() || existing.hasProgress();
    }

    ExistingRows existing() {
        return existing;
    }

    /** Whether the server is in the middle of a transaction. */
    boolean isInTransaction() {
        return transaction != null;
    }

    /** Up to where everything is in the log: the end of the last transaction that is. */
    long done() {
        return drafts.isEmpty() ? done : 0;
    }

    /** Writes what there is, and returns how many rows that was. */
    int write(Term term) {
        int rows = drafts.size();
        database.call("write to the log '" + log.name() + "'", connection -> {
            term.guard(connection);
            if (rows > 0) {
                log.append(connection, drafts);
            }
            existing.record(connection);
            return advance(connection, rows);
        });
        mark = reached;
        existing.recorded();
        drafts.clear();
        bytes = 0;
        return rows;
    }

    private boolean advance(Connection connection, int rows) throws SQLException {
        try (PreparedStatement advance =
                connection.prepareStatement(database.schema().in(CaptureSql.ADVANCE))) {
            advance.setString(1, plan.name());
            advance.setString(2, mark.lsn());
            advance.setLong(3, mark.ordinal());
            advance.setString(4, reached.lsn());
            advance.setLong(5, reached.ordinal());
            advance.setString(6, done == 0 ? null : Mark.text(done));
            advance.setLong(7, rows);
            advance.setObject(8, committedAt == null ? null : OffsetDateTime.ofInstant(committedAt, ZoneOffset.UTC));
            return advance.execute();
        }
    }

    /** Records what is about to be acknowledged. */
    void record(Term term, long acknowledged) {
        database.call("record how far the WAL is read", connection -> {
            term.guard(connection);
            // The slot is told next, and must never be ahead of this record: not even after a crash.
            try (PreparedStatement durable = connection.prepareStatement(CaptureSql.DURABLE);
                    PreparedStatement update =
                            connection.prepareStatement(database.schema().in(CaptureSql.ACKNOWLEDGE))) {
                durable.execute();
                update.setString(1, Mark.text(acknowledged));
                update.setString(2, plan.name());
                return update.executeUpdate();
            }
        });
    }

    /** Where the WAL ends now: behind everything that was written. */
    long end() {
        return database.ask("look at the end of the WAL", connection -> {
            try (Statement statement = connection.createStatement();
                    ResultSet row =
                            statement.executeQuery("SELECT pg_catalog.pg_current_wal_insert_lsn()::pg_catalog.text")) {
                row.next();
                return Mark.parse(row.getString(1));
            }
        });
    }
}
