package org.pgbaton.capture;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.LineLogger;
import org.pgbaton.leadership.Term;
import org.pgbaton.session.Database;
import org.slf4j.Logger;

/**
 * Finds out that a capture missed something, and records it with its bounds: the last place where everything was seen to be as it
 * should be, and the first where it was again. A gap is recorded before anything is repaired, and stays until an operator settles it.
 *
 * <p>Threading: the reader's thread calls.
 */
final class Gaps {
    private static final Logger log = LineLogger.of(Gaps.class);

    private final Database database;
    private final Plan plan;

    Gaps(Database database, Plan plan) {
        this.database = database;
        this.plan = plan;
    }

    /** Where the WAL ended before something was looked at. */
    record Place(String lsn, OffsetDateTime at) {
        static Place now(Connection connection) throws SQLException {
            try (PreparedStatement select = connection.prepareStatement(CaptureSql.NOW);
                    ResultSet row = select.executeQuery()) {
                row.next();
                return new Place(row.getString(1), row.getObject(2, OffsetDateTime.class));
            }
        }
    }

    /** A partition that may have been truncated by itself, or with its table; the stream tells when it has come so far. */
    record Suspect(int id, long transaction, long lsn) {}

    /**
     * Compares what the capture rests on with what was recorded; what is missing is a gap.
     *
     * @param expected if nothing was recorded
     */
    void find(Term term, Basis expected) {
        List<String> found = database.call("compare what the capture rests on", connection -> {
            term.guard(connection);
            Basis recorded = Basis.recorded(connection, database.schema(), plan.name());
            Basis was = recorded.isEmpty() ? expected : recorded;
            Basis now = was.now(connection, plan);
            List<String> sentences = new ArrayList<>();
            for (Basis.Gap gap : was.gaps(now, plan)) {
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

    private boolean record(Connection connection, Basis.Gap gap) throws SQLException {
        try (PreparedStatement insert = prepare(connection, CaptureSql.RECORD_GAP)) {
            insert.setString(1, gap.table());
            insert.setString(2, gap.what());
            insert.setLong(3, gap.suspect());
            insert.setString(4, plan.name());
            return insert.executeUpdate() == 1;
        }
    }

    /** Everything is as it should be again, and that is committed. */
    void end() {
        database.call("record where the gap ends", connection -> {
            try (PreparedStatement update = prepare(connection, CaptureSql.END_GAPS)) {
                update.setString(1, plan.name());
                return update.executeUpdate();
            }
        });
    }

    List<Suspect> suspects() {
        return database.call("look for partitions that may have been truncated", connection -> {
            List<Suspect> all = new ArrayList<>();
            try (PreparedStatement select = prepare(connection, CaptureSql.SUSPECTS)) {
                select.setString(1, plan.name());
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        all.add(new Suspect(row.getInt(1), row.getLong(2), Mark.parse(row.getString(3))));
                    }
                }
            }
            return all;
        });
    }

    /** The stream has come past it: it has told of a TRUNCATE of the whole table in that transaction, or there is a gap. */
    void resolve(Suspect suspect, boolean isExplained) {
        database.call("record whether a partition was truncated", connection -> {
            try (PreparedStatement resolve =
                    prepare(connection, isExplained ? CaptureSql.FORGET_GAP : CaptureSql.CONFIRM_GAP)) {
                resolve.setInt(1, suspect.id);
                return resolve.executeUpdate();
            }
        });
        if (!isExplained) {
            log.warn(
                    "Capture '{}': a partition was truncated by itself, which the stream does not tell. See 'baton captures show {}'.",
                    plan.name(),
                    plan.name());
        }
    }

    static List<CaptureGap> list(Connection connection, String sql, String capture) throws SQLException {
        List<CaptureGap> all = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, capture);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    Instant found = instant(row, "found_at");
                    all.add(new CaptureGap(
                            row.getInt("id"),
                            row.getString("capture"),
                            row.getString("table_name"),
                            row.getString("what"),
                            row.getString("from_lsn"),
                            instant(row, "from_at"),
                            row.getString("to_lsn"),
                            instant(row, "to_at"),
                            found == null ? Instant.EPOCH : found,
                            instant(row, "settled_at"),
                            row.getString("settled_by"),
                            row.getString("settled_reason")));
                }
            }
        }
        return all;
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime at = row.getObject(column, OffsetDateTime.class);
        return at == null ? null : at.toInstant();
    }

    private PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        return connection.prepareStatement(database.schema().in(sql));
    }
}
