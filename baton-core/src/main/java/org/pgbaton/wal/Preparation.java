package org.pgbaton.wal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.CaptureException;
import org.pgbaton.leadership.Term;
import org.pgbaton.log.Logs;
import org.pgbaton.pgoutput.Lsn;
import org.pgbaton.publication.CapturePlan;
import org.pgbaton.publication.GapRecords;
import org.pgbaton.publication.Publication;
import org.pgbaton.publication.PublicationState;
import org.pgbaton.publication.PublishedTable;
import org.pgbaton.publication.PublishedTables;
import org.pgbaton.publication.WalEnd;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Sql;
import org.pgbaton.session.TheirPath;
import org.pgbaton.slot.ReplicationSlot;
import org.pgbaton.slot.SlotState;
import org.pgbaton.snapshot.SnapshotRequests;
import org.pgbaton.table.TableLogs;

/**
 * Makes and checks everything that must exist before the first change can be read: the log, the publication, the capture's row, the slot.
 *
 * <p>The slot comes last: up to PostgreSQL 17, a slot that is older than its publication fails at every transaction in between, for ever. What
 * exists is checked, and never made a second time: a slot that is gone took changes with it that nobody has read. If somebody has changed the
 * publication or replaced a table, changes are missing. That is recorded as a gap before it is repaired.
 *
 * <p>Thread-safe, but only the reader prepares.
 */
final class Preparation {
    private static final int FAILOVER_SINCE = 170_000;

    private final DatabaseAccess database;
    private final CapturePlan plan;
    private final GapRecords gaps;
    private final ReplicationSlot slot;
    private final PublishedTables tables;
    private final Sql sql;

    Preparation(DatabaseAccess database, CapturePlan plan, GapRecords gaps, ReplicationSlot slot) {
        this.database = database;
        this.plan = plan;
        this.gaps = gaps;
        this.slot = slot;
        this.tables = new PublishedTables(plan, database.schema());
        this.sql = new Sql(database.schema());
    }

    /** For a check alone. */
    Preparation(DatabaseAccess database, CapturePlan plan) {
        this(database, plan, new GapRecords(database, plan), new ReplicationSlot(database, plan));
    }

    private record Published(List<PublishedTable> tables, PublicationState state) {}

    private record Server(int version, String walLevel, String system) {}

    /**
     * Finds mistakes early. Changes nothing.
     *
     * @throws CaptureException if this cannot be captured
     */
    void check() {
        database.callWithThem("check the capture '" + plan.name() + "'", connection -> {
            TheirPath path = TheirPath.setAside(connection);
            requireLogicalWal(server(connection));
            return tables.find(connection, path);
        });
    }

    void makeLog() {
        Logs logs = new TableLogs(database);
        if (!logs.names().contains(plan.log())) {
            logs.create(plan.log());
            logs.forWorkersOnly(plan.log());
        }
    }

    /** @throws CaptureException if somebody has to change something first */
    Prepared prepare(Term term) {
        Server server = database.call("look at the server", this::server);
        requireLogicalWal(server);
        CaptureRow before = database.<Optional<CaptureRow>>call(
                        "look for the capture '" + plan.name() + "'",
                        connection -> Optional.ofNullable(find(connection)))
                .orElse(null);
        if (before == null) {
            slot.requireNone();
        } else {
            requireSame(before, server);
            if (before.hasBegun()) {
                gaps.find(term, PublicationState.expected(before.tables(), before.operations()));
            }
        }
        Published published = publish(term, server, before);
        gaps.end();
        boolean failover = server.version >= FAILOVER_SINCE;
        CaptureRow row = before != null && before.hasBegun() ? before : createSlot(failover);
        String acknowledged = Objects.requireNonNull(row.acknowledged(), "acknowledged");
        slot.requireIntact(acknowledged);
        return new Prepared(
                new TableLogs(database).named(plan.log()),
                published.tables,
                row.system(),
                Objects.requireNonNull(row.written(), "written"),
                Lsn.parse(acknowledged),
                failover,
                row.skip(),
                published.state);
    }

    private Published publish(Term term, Server server, @Nullable CaptureRow before) {
        return database.callWithThem("prepare the capture '" + plan.name() + "'", connection -> {
            TheirPath path = TheirPath.setAside(connection);
            term.guard(connection);
            List<PublishedTable> found = tables.find(connection, path);
            new Publication(plan, sql).ensure(connection, found, server.version, before != null);
            CaptureRow.record(connection, sql, plan, found);
            if (before == null && plan.existingRows()) {
                new SnapshotRequests(sql, plan.name())
                        .add(
                                connection,
                                found.stream().map(PublishedTable::quoted).toList());
            }
            // The place first: a change of the publication after it is found by the next look.
            WalEnd end = WalEnd.now(connection, sql);
            PublicationState state = PublicationState.of(connection, sql, plan, found);
            state.record(connection, sql, plan.name());
            gaps.recordIntact(connection, end);
            return new Published(found, state);
        });
    }

    private void requireLogicalWal(Server server) {
        if (!server.walLevel.equals("logical")) {
            throw new CaptureException(
                    "Capture '" + plan.name() + "' needs wal_level = logical, and this server has "
                            + server.walLevel
                            + ". ALTER SYSTEM SET wal_level = 'logical'; and restart the server (a managed service has a switch for it).");
        }
    }

    private void requireSame(CaptureRow row, Server server) {
        String start = "Capture '" + plan.name() + "' ";
        if (!row.log().equals(plan.log())) {
            throw new CaptureException(start + "writes to the log '" + row.log() + "', not '" + plan.log()
                    + "', and that cannot be changed: give the new one another name, or drop it first.");
        }
        if (!row.slot().equals(plan.slot()) || !row.publication().equals(plan.publication())) {
            throw new CaptureException(
                    start + "uses the slot '" + row.slot() + "' and the publication '" + row.publication()
                            + "', and that cannot be changed: give the new one another name, or drop it first.");
        }
        if (!row.system().equals(server.system)
                && !row.system().equals("unknown")
                && !server.system.equals("unknown")) {
            throw new CaptureException(start + "was reading the WAL of another cluster (system " + row.system()
                    + ", this one is " + server.system
                    + "): its place in the WAL means nothing here, and changes may be missing. "
                    + plan.adviceToStartAgain());
        }
    }

    /** Makes the slot and records where it begins. If we died between the two, the slot exists, and nothing was read from it. */
    private CaptureRow createSlot(boolean failover) {
        SlotState existing = slot.find();
        String lsn = existing != null ? existing.confirmed() : slot.create(failover);
        return database.call("record the slot '" + plan.slot() + "'", connection -> {
            CaptureRow.recordBegin(connection, sql, plan.name(), lsn);
            return Objects.requireNonNull(find(connection), "capture");
        });
    }

    private Server server(Connection connection) throws SQLException {
        return sql.all(
                        connection,
                        CaptureSql.SERVER,
                        row -> new Server(row.getInt(1), row.getString(2), row.getString(3)))
                .get(0);
    }

    private @Nullable CaptureRow find(Connection connection) throws SQLException {
        return CaptureRow.find(connection, sql, plan.name());
    }
}
