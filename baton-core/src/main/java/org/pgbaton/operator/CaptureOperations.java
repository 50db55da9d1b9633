package org.pgbaton.operator;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.Capture;
import org.pgbaton.capture.CaptureException;
import org.pgbaton.capture.CaptureGap;
import org.pgbaton.capture.CaptureStatus;
import org.pgbaton.capture.Captures;
import org.pgbaton.capture.SnapshotStatus;
import org.pgbaton.publication.GapRecords;
import org.pgbaton.publication.Publication;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Sql;
import org.pgbaton.snapshot.SnapshotRequests;
import org.pgbaton.wal.CaptureStatuses;
import org.pgbaton.wal.RunningCaptures;

/** Carries out what operators do with captures, by statements to the database. Thread-safe. */
public final class CaptureOperations implements Captures {
    private final DatabaseAccess database;
    private final RunningCaptures running;
    private final CaptureStatuses statuses;
    private final Sql sql;

    /** @param running the captures of this process */
    public CaptureOperations(DatabaseAccess database, RunningCaptures running) {
        this.database = database;
        this.running = running;
        this.statuses = new CaptureStatuses(database);
        this.sql = new Sql(database.schema());
    }

    @Override
    public void addListener(Consumer<Capture> listener) {
        running.addListener(listener);
    }

    @Override
    public List<Capture> running() {
        return running.all();
    }

    @Override
    public Captures by(String who) {
        return new CaptureOperations(database.as(who), running);
    }

    @Override
    public List<CaptureStatus> list() {
        return statuses.list();
    }

    @Override
    public CaptureStatus show(String name) {
        return statuses.find(name).orElseThrow(() -> unknown(name));
    }

    private CaptureException unknown(String name) {
        List<String> names = list().stream().map(CaptureStatus::name).toList();
        return new CaptureException("There is no capture '" + name + "'."
                + (names.isEmpty() ? "" : " There is: " + String.join(", ", names) + "."));
    }

    @Override
    public void pause(String name, @Nullable String reason) {
        setPaused(name, true, reason);
    }

    @Override
    public void resume(String name, @Nullable String reason) {
        setPaused(name, false, reason);
    }

    private void setPaused(String name, boolean paused, @Nullable String reason) {
        String verb = paused ? "pause" : "resume";
        database.call(verb + " the capture '" + name + "'", connection -> {
            if (sql.run(connection, CaptureOperatorSql.SET_PAUSED, paused, name) == 0) {
                throw unknown(name);
            }
            return record(connection, verb + " capture", name, reason, null);
        });
    }

    private record Skipped(String lsn, String what) {}

    @Override
    public String skip(String name, boolean wholeTransaction, String reason) {
        show(name);
        return database.call("skip a change of capture '" + name + "'", connection -> {
            Skipped skipped = sql.first(
                    connection,
                    CaptureOperatorSql.SKIP,
                    row -> new Skipped(row.getString(1), row.getString(3)),
                    wholeTransaction,
                    name);
            if (skipped == null) {
                throw new CaptureException(
                        "Capture '" + name + "' is not held up by a change, so there is nothing to skip.");
            }
            sql.run(
                    connection,
                    CaptureOperatorSql.RECORD_SKIPPED,
                    name,
                    "skipped: " + skipped.what,
                    skipped.lsn,
                    skipped.lsn,
                    database.who(),
                    reason);
            record(connection, "skip change", name, reason, skipped.what);
            return skipped.what;
        });
    }

    @Override
    public List<CaptureGap> gaps(String name) {
        return database.call(
                "look at the gaps of capture '" + name + "'", connection -> GapRecords.list(connection, sql, name));
    }

    @Override
    public int settle(String name, String reason) {
        show(name);
        return database.call("settle the gaps of capture '" + name + "'", connection -> {
            int settled = sql.run(connection, CaptureOperatorSql.SETTLE, database.who(), reason, name);
            record(connection, "settle gaps", name, reason, settled + " gaps");
            return settled;
        });
    }

    @Override
    public int snapshot(String name, @Nullable String reason) {
        CaptureStatus status = show(name);
        return database.call("ask for the rows of capture '" + name + "'", connection -> {
            int asked = new SnapshotRequests(sql, name)
                    .add(connection, status.source().tables());
            record(connection, "snapshot capture", name, reason, asked + " tables");
            return asked;
        });
    }

    @Override
    public List<SnapshotStatus> snapshots(String name) {
        return database.call(
                "look at the rows of capture '" + name + "'",
                connection -> new SnapshotRequests(sql, name).list(connection));
    }

    @Override
    public void drop(String name, @Nullable String reason) {
        CaptureStatus status = show(name);
        if (status.reader() != null) {
            throw new CaptureException("Capture '" + name + "' is in use by " + status.reader()
                    + ": stop the processes that have it in their configuration first.");
        }
        // Not in one transaction with the rest: PostgreSQL drops a slot at once, even if the transaction is rolled
        // back.
        if (status.slot().walStatus() != null) {
            database.call(
                    "drop the slot '" + status.slot().name() + "'",
                    connection -> sql.isAny(
                            connection,
                            CaptureOperatorSql.DROP_SLOT,
                            status.slot().name()));
        }
        database.call("drop the capture '" + name + "'", connection -> {
            if (status.source().ownPublication()) {
                Publication.drop(connection, status.source().publication());
            }
            sql.run(connection, CaptureOperatorSql.DELETE, name);
            return record(
                    connection,
                    "drop capture",
                    name,
                    reason,
                    "slot " + status.slot().name() + ", log " + status.log() + " kept");
        });
    }

    private boolean record(
            Connection connection, String what, String name, @Nullable String reason, @Nullable String detail)
            throws SQLException {
        return sql.run(connection, OperatorSql.RECORD, database.who(), what, name, reason, detail) == 1;
    }
}
