package org.pgbaton.publication;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.pgbaton.pgoutput.Lsn;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.LineLogger;
import org.pgbaton.session.Sql;
import org.slf4j.Logger;

/**
 * Decides whether a partition whose file was replaced was truncated by itself, which the stream does not tell, or together with its table, which
 * it does. Such a partition is recorded as a suspected gap. When the stream has passed that place, the gap is confirmed, or removed if the stream
 * has told of a TRUNCATE of the whole table in the same transaction.
 *
 * <p>Threading: the reader's thread calls.
 */
public final class PartitionTruncations {
    private static final Logger log = LineLogger.of(PartitionTruncations.class);
    private static final int MOST_TRANSACTIONS = 1000;

    private final DatabaseAccess database;
    private final CapturePlan plan;
    private final Sql sql;
    private final List<Suspect> suspects = new ArrayList<>();

    /** The latest transactions that truncated a captured table as a whole. */
    private final Set<Long> truncating = Collections.newSetFromMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
            return size() > MOST_TRANSACTIONS;
        }
    });

    private record Suspect(int id, long transaction, long lsn) {}

    public PartitionTruncations(DatabaseAccess database, CapturePlan plan) {
        this.database = database;
        this.plan = plan;
        this.sql = new Sql(database.schema());
    }

    /** The stream told that this transaction has truncated a captured table. */
    public void tableTruncated(long transaction) {
        truncating.add(transaction);
    }

    /** Reads the suspected gaps; at the start of a stream. */
    public void load() {
        suspects.clear();
        suspects.addAll(database.call(
                "look for partitions that may have been truncated",
                connection -> sql.all(
                        connection,
                        GapSql.SUSPECTS,
                        row -> new Suspect(row.getInt(1), row.getLong(2), Lsn.parse(row.getString(3))),
                        plan.name())));
    }

    /** @param passed the place up to which the stream has told everything */
    public void resolve(long passed) {
        suspects.removeIf(suspect -> {
            if (Long.compareUnsigned(passed, suspect.lsn) < 0) {
                return false;
            }
            resolve(suspect, truncating.contains(suspect.transaction));
            return true;
        });
    }

    private void resolve(Suspect suspect, boolean isExplained) {
        database.call(
                "record whether a partition was truncated",
                connection -> sql.run(connection, isExplained ? GapSql.FORGET_GAP : GapSql.CONFIRM_GAP, suspect.id));
        if (!isExplained) {
            log.warn(
                    "Capture '{}': a partition was truncated by itself, which the stream does not tell. See 'baton captures show {}'.",
                    plan.name(),
                    plan.name());
        }
    }
}
