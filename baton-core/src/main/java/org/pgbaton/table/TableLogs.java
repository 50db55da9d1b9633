package org.pgbaton.table;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.pgbaton.log.Log;
import org.pgbaton.log.LogException;
import org.pgbaton.log.LogOptions;
import org.pgbaton.log.LogStatus;
import org.pgbaton.log.Logs;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Sql;

/** The logs of a schema: their tables, and what is recorded of them. Thread-safe. */
public final class TableLogs implements Logs {
    private static final Pattern NAME = Pattern.compile("[a-z_][a-z0-9_]{0,39}");
    private static final int CHUNK = 10_000;

    private final DatabaseAccess database;
    private final Sql sql;

    public TableLogs(DatabaseAccess database) {
        this.database = database;
        this.sql = new Sql(database.schema());
    }

    @Override
    public Log named(String name) {
        return new TableLog(database, LogTable.named(database, name));
    }

    @Override
    public boolean create(String name) {
        return create(name, LogOptions.defaults());
    }

    @Override
    public boolean create(String name, LogOptions options) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'" + (name.length() <= 60 ? name : name.substring(0, 60) + "…")
                            + "' cannot be the name of a log: use 1 to 40 small letters, digits and underscores, not starting with a digit.");
        }
        return database.call("create the log '" + name + "'", connection -> {
            LogOptions there = optionsOf(connection, name);
            if (there == null) {
                sql.run(connection, LogSql.LOCK_REGISTRY);
                there = optionsOf(connection, name);
            }
            if (there == null) {
                make(connection, name, options);
                return true;
            }
            if (there.lanes() != options.lanes()) {
                throw new LogException("The log '" + name + "' has " + there.lanes() + " lanes, not " + options.lanes()
                        + ", and that cannot be changed: create one with another name.");
            }
            if ((there.payloadLimit() == null) != (options.payloadLimit() == null)) {
                throw new LogException("The log '" + name + "' is there, and is "
                        + (there.payloadLimit() == null ? "no outbox" : "an outbox") + ": choose another name.");
            }
            return false;
        });
    }

    private void make(Connection connection, String name, LogOptions options) throws SQLException {
        String taken = sql.first(connection, LogSql.TAKEN, row -> row.getString(1), name, name);
        if (taken != null) {
            throw new LogException("The log '" + name + "' cannot be created: the schema '" + database.schema()
                    + "' has something else named '" + taken + "'. Choose another name.");
        }
        sql.run(connection, LogSql.CREATE, name, options.lanes(), seconds(options.retention()));
        if (options.payloadLimit() != null) {
            makeOutbox(connection, name, options.payloadLimit());
        }
    }

    private void makeOutbox(Connection connection, String name, int payloadLimit) throws SQLException {
        sql.run(connection, LogSql.MAKE_OUTBOX, name, payloadLimit);
    }

    /** The options of a log that cannot be changed. */
    private @Nullable LogOptions optionsOf(Connection connection, String name) throws SQLException {
        return sql.first(
                connection,
                LogSql.OPTIONS_OF,
                row -> new LogOptions(row.getInt(1), null, row.getObject(2, Integer.class)),
                name);
    }

    @Override
    public List<String> names() {
        return database.call("list the logs", connection -> sql.all(connection, LogSql.NAMES, row -> row.getString(1)));
    }

    @Override
    public List<LogStatus> list() {
        return names().stream().map(this::show).toList();
    }

    @Override
    public LogStatus show(String name) {
        LogTable table = LogTable.named(database, name);
        return database.call("look at the log '" + name + "'", connection -> {
            List<LogStatus.Writer> writers = writers(connection, name);
            String select = LogSql.STATUS.replace("${log}", table.table());
            LogStatus status = sql.first(connection, select, row -> status(name, row, writers), name);
            if (status == null) {
                throw new LogException("The log '" + name + "' has just disappeared.");
            }
            return status;
        });
    }

    private static LogStatus status(String name, ResultSet row, List<LogStatus.Writer> writers) throws SQLException {
        double seconds = row.getDouble("retention_seconds");
        Duration retention = row.wasNull() ? null : Duration.ofMillis(Math.round(seconds * 1000));
        return new LogStatus(
                name,
                row.getInt("lanes"),
                retention,
                row.getObject("payload_limit", Integer.class),
                Sql.instant(row, "created_at"),
                new LogStatus.Size(row.getLong("rows"), row.getLong("bytes")),
                place(row, "first"),
                place(row, "last"),
                row.getLong("retained_above"),
                writers);
    }

    private List<LogStatus.Writer> writers(Connection connection, String name) throws SQLException {
        return sql.all(connection, LogSql.WRITERS, TableLogs::writer, name);
    }

    private static LogStatus.Writer writer(ResultSet row) throws SQLException {
        Long micros = row.getObject("age_micros", Long.class);
        String who = row.getString("application_name");
        return new LogStatus.Writer(
                who == null || who.isEmpty() ? null : who,
                row.getString("usename"),
                row.getObject("pid", Integer.class),
                micros == null ? null : Duration.ofNanos(micros * 1000),
                List.of((Integer[]) row.getArray("lanes").getArray()));
    }

    private static LogStatus.@Nullable RowPlace place(ResultSet row, String which) throws SQLException {
        Long position = row.getObject(which, Long.class);
        return position == null ? null : new LogStatus.RowPlace(position, Sql.instant(row, which + "_at"));
    }

    @Override
    public void setRetention(String name, Duration least) {
        LogOptions.defaults().retention(least); // refuses one that makes no sense
        changeRetention(name, least);
    }

    @Override
    public void keepForever(String name) {
        changeRetention(name, null);
    }

    private void changeRetention(String name, @Nullable Duration least) {
        LogTable.named(database, name);
        database.call("change the retention of log '" + name + "'", connection -> {
            sql.run(connection, LogSql.SET_RETENTION, seconds(least), name);
            return record(connection, "retention", name, least == null ? "for ever" : least.toSeconds() + " s");
        });
    }

    @Override
    public void forWorkersOnly(String name) {
        LogTable.named(database, name);
        database.call("keep others from the log '" + name + "'", connection -> {
            sql.run(connection, LogSql.FOR_WORKERS_ONLY, name);
            return record(connection, "writers", name, "workers only");
        });
    }

    private int record(Connection connection, String what, String name, String detail) throws SQLException {
        return sql.run(connection, LogSql.RECORD, database.who(), what, "log " + name, detail);
    }

    @Override
    public void setPayloadLimit(String name, int bytes) {
        LogOptions.defaults().outbox(bytes); // refuses one that makes no sense
        if (LogTable.named(database, name).payloadLimit() == null) {
            throw new LogException("The log '" + name + "' is no outbox, and takes payloads of any size.");
        }
        database.call("change the limit of log '" + name + "'", connection -> {
            makeOutbox(connection, name, bytes);
            return record(connection, "payload limit", name, bytes + " bytes");
        });
    }

    /** Those of these logs that do not keep rows for ever. */
    public List<String> withRetention(Collection<String> names) {
        return database.call(
                "look which logs have a retention",
                connection -> sql.all(connection, LogSql.WITH_RETENTION, row -> row.getString(1), Sql.texts(names)));
    }

    @Override
    public int retainOnce(String name) {
        return database.call("remove old rows of log '" + name + "'", connection -> {
            LogTable.find(database, connection, name);
            return (int) sql.number(connection, LogSql.RETAIN, name, CHUNK);
        });
    }

    @Override
    public void redact(String name, long position, String who, String reason) {
        if (who.isBlank() || reason.isBlank()) {
            throw new IllegalArgumentException("A redaction is recorded: say who asked for it, and why.");
        }
        LogTable table = LogTable.named(database, name);
        boolean found = database.call("redact position " + position + " of log '" + name + "'", connection -> {
            return Boolean.TRUE.equals(sql.first(
                    connection, LogSql.REDACT, row -> row.getBoolean(1), table.relation(), position, who, reason));
        });
        if (!found) {
            throw new LogException("The log '" + name + "' has no row at position " + position
                    + ": it never had one, or retention removed it.");
        }
    }

    /** Null for no retention. */
    private static @Nullable Double seconds(@Nullable Duration duration) {
        return duration == null ? null : duration.toMillis() / 1000.0;
    }
}
