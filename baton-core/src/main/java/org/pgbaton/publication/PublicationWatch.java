package org.pgbaton.publication;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.pgbaton.leadership.Term;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Sql;

/**
 * Checks whether the publication is still as it was prepared, and records from time to time up to which place it was.
 *
 * <p>Threading: the reader's thread calls.
 */
public final class PublicationWatch {
    /** After a crash, the bounds of a gap are wider by this at most. */
    private static final Duration RECORD_EVERY = Duration.ofMinutes(1);

    private final DatabaseAccess database;
    private final CapturePlan plan;
    private final GapRecords gaps;
    private final LongSupplier nanos;
    private final Sql sql;
    private @Nullable WalEnd lastIntact;
    private long recordedAt;

    public PublicationWatch(DatabaseAccess database, CapturePlan plan, GapRecords gaps, LongSupplier nanos) {
        this.database = database;
        this.plan = plan;
        this.gaps = gaps;
        this.nanos = nanos;
        this.sql = new Sql(database.schema());
        this.recordedAt = nanos.getAsLong();
    }

    /** Whether everything is as it was when that state was read. */
    public boolean isIntact(Term term, PublicationState prepared) {
        return database.call("compare what the capture rests on", connection -> {
            WalEnd end = WalEnd.now(connection, sql);
            boolean isSame = prepared.isSame(prepared.now(connection, sql, plan));
            if (isSame) {
                lastIntact = end;
            }
            WalEnd last = lastIntact;
            if (last != null && (!isSame || nanos.getAsLong() - recordedAt > RECORD_EVERY.toNanos())) {
                term.guard(connection);
                gaps.recordIntact(connection, last);
                recordedAt = nanos.getAsLong();
            }
            return isSame;
        });
    }
}
