package org.pgbaton.wal;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.CaptureStatus;
import org.pgbaton.capture.CapturedOperation;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Sql;

/** Reads the view {@code capture_status}. Thread-safe. */
public final class CaptureStatuses {
    private final DatabaseAccess database;
    private final Sql sql;

    public CaptureStatuses(DatabaseAccess database) {
        this.database = database;
        this.sql = new Sql(database.schema());
    }

    /** Every capture, by name. */
    public List<CaptureStatus> list() {
        return list(null);
    }

    public Optional<CaptureStatus> find(String name) {
        return list(name).stream().findFirst();
    }

    private List<CaptureStatus> list(@Nullable String name) {
        return database.call(
                "look at the captures",
                connection -> sql.all(connection, CaptureSql.STATUS, CaptureStatuses::read, name, name));
    }

    private static CaptureStatus read(ResultSet row) throws SQLException {
        return new CaptureStatus(
                row.getString("name"),
                CaptureStatus.State.of(row.getString("state")),
                row.getString("log"),
                source(row),
                slot(row),
                row.getLong("changes"),
                Sql.instantOrNull(row, "changed_at"),
                row.getString("owner"),
                row.getObject("epoch", Long.class),
                problem(row),
                row.getString("warning"),
                row.getInt("gaps"),
                Sql.instant(row, "created_at"));
    }

    private static CaptureStatus.Source source(ResultSet row) throws SQLException {
        Set<CapturedOperation> operations = EnumSet.noneOf(CapturedOperation.class);
        for (String word : Sql.strings(row, "operations")) {
            operations.add(CapturedOperation.valueOf(word.toUpperCase(Locale.ROOT)));
        }
        return new CaptureStatus.Source(
                Sql.strings(row, "tables"),
                operations,
                row.getString("publication"),
                row.getBoolean("own_publication"));
    }

    private static CaptureStatus.Slot slot(ResultSet row) throws SQLException {
        return new CaptureStatus.Slot(
                row.getString("slot"),
                row.getString("wal_status"),
                row.getObject("safe_wal_size", Long.class),
                row.getObject("retained_bytes", Long.class),
                row.getObject("behind_bytes", Long.class));
    }

    private static CaptureStatus.@Nullable Problem problem(ResultSet row) throws SQLException {
        String what = row.getString("problem");
        return what == null ? null : new CaptureStatus.Problem(what, Sql.instant(row, "problem_since"));
    }
}
