package org.pgbaton.publication;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.pgbaton.capture.CaptureGap;
import org.pgbaton.leadership.Term;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.LineLogger;
import org.pgbaton.session.Sql;
import org.slf4j.Logger;

/**
 * Finds the gaps of a capture and records them with their bounds: the last place in the WAL where everything was seen to be right, and the first
 * where it was right again. A gap is recorded before anything is repaired, and stays until an operator settles it.
 *
 * <p>Threading: the reader's thread calls.
 */
public final class GapRecords {
    private static final Logger log = LineLogger.of(GapRecords.class);

    private final DatabaseAccess database;
    private final CapturePlan plan;
    private final Sql sql;

    public GapRecords(DatabaseAccess database, CapturePlan plan) {
        this.database = database;
        this.plan = plan;
        this.sql = new Sql(database.schema());
    }

    /**
     * Compares the publication with its recorded state, and records what is missing as a gap.
     *
     * @param expected used if no state was recorded
     */
    public void find(Term term, PublicationState expected) {
        List<String> found = database.call("compare what the capture rests on", connection -> {
            term.guard(connection);
            PublicationState recorded = PublicationState.recorded(connection, sql, plan.name());
            PublicationState before = recorded.isEmpty() ? expected : recorded;
            PublicationState now = before.now(connection, sql, plan);
            List<String> sentences = new ArrayList<>();
            for (StateComparison.Gap gap : new StateComparison(before, now, plan).gaps()) {
                if (record(connection, gap) && gap.suspect() == 0) {
                    sentences.add((gap.table() == null ? "" : gap.table() + ": ") + gap.what());
                }
            }
            return sentences;
        });
        found.forEach(what -> log.warn(
                "Capture '{}': changes may be missing from its log, because {}. See 'baton captures show {}'.",
                plan.name(),
                what,
                plan.name()));
    }

    private boolean record(Connection connection, StateComparison.Gap gap) throws SQLException {
        return sql.run(connection, GapSql.RECORD_GAP, gap.table(), gap.what(), gap.suspect(), plan.name()) == 1;
    }

    /** Records that there is no gap up to that place. In the caller's transaction. */
    public void recordIntact(Connection connection, WalEnd end) throws SQLException {
        sql.run(connection, GapSql.RECORD_INTACT, end.lsn(), end.at(), plan.name(), end.lsn());
    }

    /** Ends all gaps here. Call it when the repair is committed. */
    public void end() {
        database.call("record where the gap ends", connection -> sql.run(connection, GapSql.END_GAPS, plan.name()));
    }

    /** The gaps of a capture, the oldest first. */
    public static List<CaptureGap> list(Connection connection, Sql sql, String capture) throws SQLException {
        return sql.all(
                connection,
                GapSql.GAPS,
                row -> new CaptureGap(
                        row.getInt("id"),
                        row.getString("capture"),
                        row.getString("table_name"),
                        row.getString("what"),
                        row.getString("from_lsn"),
                        Sql.instantOrNull(row, "from_at"),
                        row.getString("to_lsn"),
                        Sql.instantOrNull(row, "to_at"),
                        Sql.instant(row, "found_at"),
                        Sql.instantOrNull(row, "settled_at"),
                        row.getString("settled_by"),
                        row.getString("settled_reason")),
                capture);
    }
}
