package org.pgbaton.capture;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pgbaton.campaign.Leaderships;
import org.pgbaton.database.SchemaName;
import org.pgbaton.session.Database;

/**
 * All captures of a schema: those that run here, and what operators do with any. What they do is recorded in the table
 * {@code action}. Thread-safe.
 */
public final class Captures implements AutoCloseable {
    private final Database database;
    private final Leaderships leaderships;
    private final List<Capture> running = new CopyOnWriteArrayList<>();
    private final List<Consumer<Capture>> listeners = new CopyOnWriteArrayList<>();

    /** Not API: see {@code Baton.captures()}. */
    public Captures(Database database, Leaderships leaderships) {
        this.database = database;
        this.leaderships = leaderships;
    }

    /** Not API: see {@code Baton.capture()}. */
    public CaptureBuilder named(String name) {
        return new CaptureBuilder(this, name);
    }

    String schema() {
        return database.schema().name();
    }

    Capture start(Plan plan, Duration lease, boolean wait) {
        if (database.replication() == null) {
            throw new CaptureException(
                    "Capture '" + plan.name()
                            + "' cannot connect: Baton was opened with a pool, so tell it where to read the WAL with replication(url).");
        }
        Groundwork groundwork = new Groundwork(database, plan);
        groundwork.check();
        Capture capture =
                new Capture(database, plan, leaderships.named(plan.leadership()).lease(lease), lease, running::remove);
        running.add(capture);
        listeners.forEach(listener -> listener.accept(capture));
        if (wait) {
            new Beginning(this, capture).await();
        }
        return capture;
    }

    /** Is told every capture that runs in this process, now or later; one that starts at this very moment perhaps twice. */
    public void addListener(Consumer<Capture> listener) {
        listeners.add(listener);
        running.forEach(listener);
    }

    /** Those that this process takes part in. */
    public List<Capture> running() {
        return List.copyOf(running);
    }

    /** Every capture, by name. */
    public List<CaptureStatus> list() {
        return status(null);
    }

    /** @throws CaptureException if there is none of that name */
    public CaptureStatus show(String name) {
        return status(name).stream().findFirst().orElseThrow(() -> unknown(name));
    }

    Optional<CaptureStatus> find(String name) {
        return status(name).stream().findFirst();
    }

    /** Whoever reads stops within a second or two, and the server keeps the WAL until it goes on. */
    public void pause(String name, @Nullable String reason) {
        setPaused(name, true, reason);
    }

    public void resume(String name, @Nullable String reason) {
        setPaused(name, false, reason);
    }

    private void setPaused(String name, boolean paused, @Nullable String reason) {
        database.call((paused ? "pause" : "resume") + " the capture '" + name + "'", connection -> {
            try (PreparedStatement update = prepare(connection, CaptureSql.SET_PAUSED)) {
                update.setBoolean(1, paused);
                update.setString(2, name);
                if (update.executeUpdate() == 0) {
                    throw unknown(name);
                }
            }
            return recorded(connection, paused ? "pause capture" : "resume capture", name, reason, null);
        });
    }

    /**
     * Passes over the change that holds the capture up, because it has no key or cannot be decoded. It is recorded, as a gap that is
     * settled.
     *
     * @param wholeTransaction also all others of the same transaction that cannot be told; those that can are captured
     * @return which change, and why it could not be told
     * @throws CaptureException if there is none of that name, or no change holds it up
     */
    public String skip(String name, boolean wholeTransaction, String reason) {
        show(name);
        return database.call("skip a change of capture '" + name + "'", connection -> {
            String lsn;
            String what;
            try (PreparedStatement skip = prepare(connection, CaptureSql.SKIP)) {
                skip.setBoolean(1, wholeTransaction);
                skip.setString(2, name);
                try (ResultSet row = skip.executeQuery()) {
                    if (!row.next()) {
                        throw new CaptureException(
                                "Capture '" + name + "' is not held up by a change, so there is nothing to skip.");
                    }
                    lsn = row.getString(1);
                    what = row.getString(3);
                }
            }
            try (PreparedStatement insert = prepare(connection, CaptureSql.SKIPPED)) {
                insert.setString(1, name);
                insert.setString(2, "skipped: " + what);
                insert.setString(3, lsn);
                insert.setString(4, lsn);
                insert.setString(5, database.who());
                insert.setString(6, reason);
                insert.executeUpdate();
            }
            recorded(connection, "skip change", name, reason, what);
            return what;
        });
    }

    /** What it missed, the oldest first: also what operators have settled. */
    public List<CaptureGap> gaps(String name) {
        return database.call(
                "look at the gaps of capture '" + name + "'",
                connection -> Gaps.list(connection, database.schema().in(CaptureSql.GAPS), name));
    }

    /**
     * Says that its gaps are dealt with, so that nobody is warned of them any more. One that goes on stays.
     *
     * @return how many
     */
    public int settle(String name, String reason) {
        show(name);
        return database.call("settle the gaps of capture '" + name + "'", connection -> {
            try (PreparedStatement settle = prepare(connection, CaptureSql.SETTLE)) {
                settle.setString(1, database.who());
                settle.setString(2, reason);
                settle.setString(3, name);
                int settled = settle.executeUpdate();
                recorded(connection, "settle gaps", name, reason, settled + " gaps");
                return settled;
            }
        });
    }

    /**
     * Asks for the rows of its tables as they are, in between the changes; whoever reads begins with it within a second. What is
     * under way already is not begun again.
     *
     * @return how many tables will be sent
     */
    public int snapshot(String name, @Nullable String reason) {
        CaptureStatus status = show(name);
        return database.call("ask for the rows of capture '" + name + "'", connection -> {
            int asked = requestSnapshot(connection, database.schema(), name, status.tables());
            recorded(connection, "snapshot capture", name, reason, asked + " tables");
            return asked;
        });
    }

    static int requestSnapshot(Connection connection, SchemaName schema, String name, List<String> quotedTables)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(schema.in(CaptureSql.REQUEST_SNAPSHOT))) {
            insert.setString(1, name);
            insert.setArray(2, connection.createArrayOf("text", quotedTables.toArray()));
            return insert.executeUpdate();
        }
    }

    /** Tables whose rows were asked for, the oldest first: those that were sent, and those that are being sent. */
    public List<SnapshotStatus> snapshots(String name) {
        return database.call("look at the rows of capture '" + name + "'", connection -> {
            List<SnapshotStatus> all = new ArrayList<>();
            try (PreparedStatement select = prepare(connection, CaptureSql.SNAPSHOTS)) {
                select.setString(1, name);
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        all.add(new SnapshotStatus(
                                row.getString("table_name"),
                                row.getLong("sent"),
                                row.getLong("estimated"),
                                instant(row, "begun_at"),
                                instant(row, "done_at")));
                    }
                }
            }
            return all;
        });
    }

    /**
     * Removes the slot, the publication if Baton made it, and the mark; the log stays. Changes made from now on are not captured, and
     * those that were not read yet never will be.
     *
     * @throws CaptureException if there is none of that name, or somebody reads for it right now
     */
    public void drop(String name, @Nullable String reason) {
        CaptureStatus status = show(name);
        if (status.owner() != null) {
            throw new CaptureException("Capture '" + name + "' is in use by " + status.owner()
                    + ": stop the processes that have it in their configuration first.");
        }
        // Not in one transaction with the rest: PostgreSQL forgets a slot at once, whatever becomes of the transaction.
        if (status.walStatus() != null) {
            database.call("drop the slot '" + status.slot() + "'", connection -> {
                try (PreparedStatement drop = prepare(connection, CaptureSql.DROP_SLOT)) {
                    drop.setString(1, status.slot());
                    return drop.execute();
                }
            });
        }
        database.call("drop the capture '" + name + "'", connection -> {
            if (status.ownPublication()) {
                try (Statement drop = connection.createStatement()) {
                    drop.execute("DROP PUBLICATION IF EXISTS \""
                            + status.publication().replace("\"", "\"\"") + '"');
                }
            }
            try (PreparedStatement forget = prepare(connection, CaptureSql.FORGET)) {
                forget.setString(1, name);
                forget.executeUpdate();
            }
            return recorded(
                    connection,
                    "drop capture",
                    name,
                    reason,
                    "slot " + status.slot() + ", log " + status.log() + " kept");
        });
    }

    private boolean recorded(
            Connection connection, String what, String name, @Nullable String reason, @Nullable String detail)
            throws SQLException {
        try (PreparedStatement insert = prepare(connection, CaptureSql.ACTION)) {
            insert.setString(1, database.who());
            insert.setString(2, what);
            insert.setString(3, name);
            insert.setString(4, reason);
            insert.setString(5, detail);
            return insert.executeUpdate() == 1;
        }
    }

    private List<CaptureStatus> status(@Nullable String name) {
        return database.call("look at the captures", connection -> {
            List<CaptureStatus> all = new ArrayList<>();
            try (PreparedStatement select = prepare(connection, CaptureSql.STATUS)) {
                select.setString(1, name);
                select.setString(2, name);
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        all.add(read(row));
                    }
                }
            }
            return all;
        });
    }

    private static CaptureStatus read(ResultSet row) throws SQLException {
        Instant created = instant(row, "created_at");
        return new CaptureStatus(
                row.getString("name"),
                row.getString("state"),
                row.getString("log"),
                texts(row.getArray("tables")),
                texts(row.getArray("operations")),
                row.getString("publication"),
                row.getBoolean("own_publication"),
                row.getString("slot"),
                row.getLong("changes"),
                instant(row, "changed_at"),
                row.getString("owner"),
                row.getObject("epoch", Long.class),
                row.getString("wal_status"),
                row.getObject("safe_wal_size", Long.class),
                row.getObject("retained_bytes", Long.class),
                row.getObject("behind_bytes", Long.class),
                row.getString("problem"),
                instant(row, "problem_since"),
                created == null ? Instant.EPOCH : created,
                row.getString("warning"),
                row.getInt("gaps"));
    }

    private static List<String> texts(Array array) throws SQLException {
        return List.of((String[]) array.getArray());
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime at = row.getObject(column, OffsetDateTime.class);
        return at == null ? null : at.toInstant();
    }

    private CaptureException unknown(String name) {
        List<String> names = list().stream().map(CaptureStatus::name).toList();
        return new CaptureException("There is no capture '" + name + "'."
                + (names.isEmpty() ? "" : " There is: " + String.join(", ", names) + "."));
    }

    private PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        return connection.prepareStatement(database.schema().in(sql));
    }

    @Override
    public void close() {
        running.forEach(Capture::close);
    }
}
