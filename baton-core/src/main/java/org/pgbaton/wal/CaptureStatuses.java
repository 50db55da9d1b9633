package org.pgbaton.wal;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.CaptureStatus;
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
                row.getString("state"),
                row.getString("log"),
                Sql.strings(row, "tables"),
                Sql.strings(row, "operations"),
                row.getString("publication"),
                row.getBoolean("own_publication"),
                row.getString("slot"),
                row.getLong("changes"),
                Sql.instantOrNull(row, "changed_at"),
                row.getString("owner"),
                row.getObject("epoch", Long.class),
                row.getString("wal_status"),
                row.getObject("safe_wal_size", Long.class),
                row.getObject("retained_bytes", Long.class),
                row.getObject("behind_bytes", Long.class),
                row.getString("problem"),
                Sql.instantOrNull(row, "problem_since"),
                Sql.instant(row, "created_at"),
                row.getString("warning"),
                row.getInt("gaps"));
    }
}
