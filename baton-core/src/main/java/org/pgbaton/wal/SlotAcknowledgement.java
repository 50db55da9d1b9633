package org.pgbaton.wal;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.pgbaton.leadership.Term;
import org.pgbaton.pgoutput.Lsn;
import org.pgbaton.publication.CapturePlan;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Sql;
import org.pgbaton.slot.WalStream;

/**
 * Tells the server how much of the WAL it need not keep for us.
 *
 * <p>The server is told only what is in the log. It is recorded before, so that a slot which somebody else has moved is recognised. If the captured
 * tables are quiet, the server is told how far it has read without sending anything; otherwise it would keep the WAL of all others.
 *
 * <p>A slot of which a standby keeps a copy is told later: when the stream has passed the commit of our own write, or of our record. Then the standby
 * has that commit too. If it is promoted, it cannot lack both a change and its row in the log, and its slot cannot be ahead of the record.
 *
 * <p>Not thread-safe.
 */
final class SlotAcknowledgement {
    /** So much WAL of others, or so much time, is worth a record. */
    private static final long IDLE_BYTES = 16 << 20;

    private static final Duration IDLE_TIME = Duration.ofSeconds(10);

    private final DatabaseAccess database;
    private final CapturePlan plan;
    private final WalStream stream;
    private final boolean failover;
    private final LongSupplier nanos;
    private final Sql sql;

    private long recorded;
    private long told;
    private long toldAt;
    private boolean hasWritten;

    /** For a slot with a copy: the place to tell when the stream has passed the other one, which is 0 if nothing waits. */
    private long held;

    private long heldUntil;

    SlotAcknowledgement(
            DatabaseAccess database, CapturePlan plan, Prepared prepared, WalStream stream, LongSupplier nanos) {
        this.database = database;
        this.plan = plan;
        this.stream = stream;
        this.failover = prepared.failover();
        this.nanos = nanos;
        this.sql = new Sql(database.schema());
        this.recorded = prepared.acknowledged();
        this.toldAt = nanos.getAsLong();
    }

    /** Changes were written; with them it was recorded how far. */
    void written(long done) {
        recorded = Math.max(recorded, done);
        hasWritten = true;
    }

    /**
     * Call it when no draft waits, after every handful and not only in a pause: there may be no pause for days, because of our own transactions,
     * or of others', which PostgreSQL 14 sends too.
     *
     * @param done the end of the last transaction that is in the log
     * @param passed up to where everything was processed
     */
    void send(Term term, long done, long passed) {
        if (heldUntil > 0) {
            if (passed < heldUntil) {
                return;
            }
            heldUntil = 0;
            tell(held);
        }
        if (hasWritten) {
            hasWritten = false;
            tellOrHold(done);
            return;
        }
        boolean longEnough = nanos.getAsLong() - toldAt > IDLE_TIME.toNanos();
        if (passed - recorded > IDLE_BYTES || (longEnough && passed - recorded > IDLE_BYTES / 256)) {
            record(term, passed);
            recorded = passed;
            tellOrHold(passed);
        }
    }

    private void record(Term term, long place) {
        database.call("record how far the WAL is read", connection -> {
            term.guard(connection);
            // The slot is told next, and must never be ahead of this record: not even after a crash.
            sql.run(connection, CaptureSql.DURABLE);
            return sql.run(connection, CaptureSql.ACKNOWLEDGE, Lsn.text(place), plan.name());
        });
    }

    /** Holds one place at a time: under steady writes the stream would never pass the latest. */
    private void tellOrHold(long lsn) {
        if (failover) {
            held = lsn;
            heldUntil = walEnd();
        } else {
            tell(lsn);
        }
    }

    private void tell(long lsn) {
        if (lsn <= told) {
            return;
        }
        told = lsn;
        toldAt = nanos.getAsLong();
        stream.acknowledge(lsn);
    }

    /** The end of the WAL now: behind everything that we have written. */
    private long walEnd() {
        return database.ask(
                "look at the end of the WAL",
                connection -> sql.all(connection, CaptureSql.WAL_END, row -> Lsn.parse(row.getString(1)))
                        .get(0));
    }
}
