package org.pgbaton.wal;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.pgbaton.leadership.Term;
import org.pgbaton.log.Log;
import org.pgbaton.pgoutput.Lsn;
import org.pgbaton.publication.CapturePlan;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Sql;

/**
 * Writes collected changes to the log.
 *
 * <p>Guarantee: each change once. The rows and the place of the last change are written in one transaction, under the guard of the leadership. A large
 * transaction of the application is written in several, each with its own place. Not thread-safe.
 */
final class LogWriter {
    private final DatabaseAccess database;
    private final CapturePlan plan;
    private final Log log;
    private final ChangeCollector collector;
    private final AtomicLong changes;
    private final Sql sql;

    /** @param changes counts the rows that were written */
    LogWriter(DatabaseAccess database, CapturePlan plan, Log log, ChangeCollector collector, AtomicLong changes) {
        this.database = database;
        this.plan = plan;
        this.log = log;
        this.collector = collector;
        this.changes = changes;
        this.sql = new Sql(database.schema());
    }

    void write(Term term) {
        ChangeCollector.Collected collected = collector.collected();
        int rows = collected.drafts().size();
        database.call("write to the log '" + log.name() + "'", connection -> {
            term.guard(connection);
            if (rows > 0) {
                log.append(connection, collected.drafts());
            }
            collector.existing().record(connection);
            return sql.run(
                    connection,
                    CaptureSql.ADVANCE,
                    plan.name(),
                    collected.before().lsn(),
                    collected.before().ordinal(),
                    collected.reached().lsn(),
                    collected.reached().ordinal(),
                    collected.done() == 0 ? null : Lsn.text(collected.done()),
                    (long) rows,
                    inUtc(collected.committedAt()));
        });
        collector.written();
        changes.addAndGet(rows);
    }

    private static @Nullable OffsetDateTime inUtc(@Nullable Instant at) {
        return at == null ? null : OffsetDateTime.ofInstant(at, ZoneOffset.UTC);
    }
}
