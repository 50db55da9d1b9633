package org.pgbaton.capture;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.leadership.Term;
import org.pgbaton.log.Log;
import org.pgbaton.log.Logs;
import org.pgbaton.session.Database;
import org.pgbaton.session.TheirPath;

/**
 * What must be there before the first change can be read: the log, the publication, the capture's row, and then the slot. A slot that
 * is older than its publication would fail at every transaction in between, for ever up to PostgreSQL 17. What is there already is
 * checked, and nothing is made a second time: a slot that has gone took changes with it that nobody has seen. Where somebody has changed
 * the publication or replaced a table meanwhile, changes are missing: that is recorded as a gap before it is repaired.
 */
final class Groundwork {
    private static final int FAILOVER_SINCE = 170_000;

    private final Database database;
    private final Plan plan;
    private final Gaps gaps;

    Groundwork(Database database, Plan plan) {
        this.database = database;
        this.plan = plan;
        this.gaps = new Gaps(database, plan);
    }

    /**
     * @param mark where the log is
     * @param acknowledged how much the slot may have been told
     * @param failover whether a standby keeps a copy of the slot
     * @param skip changes up to this one that cannot be told are passed over
     * @param basis what all of it rests on
     */
    record Ground(
            Log log,
            List<Table> tables,
            String system,
            Mark mark,
            long acknowledged,
            boolean failover,
            @Nullable Mark skip,
            Basis basis) {}

    private record Prepared(List<Table> tables, Basis basis) {}

    private record Server(int version, String walLevel, String system) {}

    private record Row(
            String log,
            String publication,
            String slot,
            String system,
            @Nullable Mark mark,
            @Nullable String acknowledged,
            List<String> tables,
            List<String> operations,
            @Nullable Mark skip) {}

    private record Slot(
            String plugin,
            String database,
            boolean here,
            @Nullable Integer activePid,
            String confirmed,
            String walStatus) {}

    /** Finds out what is wrong, and makes the log, so that whoever wants to read it need not wait for a leader. */
    void check() {
        database.callWithThem("check the capture '" + plan.name() + "'", connection -> {
            TheirPath path = TheirPath.setAside(connection);
            requireFit(server(connection));
            return Table.find(connection, path, database.schema(), plan);
        });
        Logs logs = new Logs(database);
        if (!logs.names().contains(plan.log())) {
            logs.create(plan.log());
            logs.forWorkersOnly(plan.log());
        }
    }

    Ground lay(Term term) {
        Server server = database.call("look at the server", this::server);
        requireFit(server);
        Row before = database.call("look for the capture '" + plan.name() + "'", this::row)
                .orElse(null);
        if (before != null) {
            requireSame(before, server);
            if (before.acknowledged != null) {
                gaps.find(term, Basis.expected(before.tables, before.operations));
            }
        } else {
            requireNoSlot();
        }
        Prepared prepared = database.callWithThem("prepare the capture '" + plan.name() + "'", connection -> {
            TheirPath path = TheirPath.setAside(connection);
            term.guard(connection);
            List<Table> found = Table.find(connection, path, database.schema(), plan);
            new Publication(plan, database.schema()).ensure(connection, found, server.version, before != null);
            record(connection, found);
            if (before == null && plan.existingRows()) {
                Captures.requestSnapshot(
                        connection,
                        database.schema(),
                        plan.name(),
                        found.stream().map(Table::quoted).toList());
            }
            // The place first: what is changed after it is found by the next look.
            Gaps.Place place = Gaps.Place.now(connection);
            Basis basis = Basis.of(connection, plan, found);
            basis.record(connection, database.schema(), plan.name());
            intact(connection, place);
            return new Prepared(found, basis);
        });
        gaps.end();
        boolean failover = server.version >= FAILOVER_SINCE;
        Row row = before != null && before.acknowledged != null ? before : begun(failover);
        requireIntact(row);
        return new Ground(
                new Logs(database).named(plan.log()),
                prepared.tables,
                row.system,
                known(row.mark),
                Mark.parse(known(row.acknowledged)),
                failover,
                row.skip,
                prepared.basis);
    }

    /** Everything that the capture rests on is as recorded, up to here. In a transaction. */
    void intact(Connection connection, Gaps.Place place) throws SQLException {
        try (PreparedStatement update = prepare(connection, CaptureSql.INTACT)) {
            update.setString(1, place.lsn());
            update.setObject(2, place.at());
            update.setString(3, plan.name());
            update.setString(4, place.lsn());
            update.executeUpdate();
        }
    }

    private void requireFit(Server server) {
        if (!server.walLevel.equals("logical")) {
            throw new CaptureException(
                    "Capture '" + plan.name() + "' needs wal_level = logical, and this server has "
                            + server.walLevel
                            + ". ALTER SYSTEM SET wal_level = 'logical'; and restart the server (a managed service has a switch for it).");
        }
    }

    private void requireSame(Row row, Server server) {
        String start = "Capture '" + plan.name() + "' ";
        if (!row.log.equals(plan.log())) {
            throw new CaptureException(start + "writes to the log '" + row.log + "', not '" + plan.log()
                    + "', and that cannot be changed: give the new one another name, or drop it first.");
        }
        if (!row.slot.equals(plan.slot()) || !row.publication.equals(plan.publication())) {
            throw new CaptureException(
                    start + "uses the slot '" + row.slot + "' and the publication '" + row.publication
                            + "', and that cannot be changed: give the new one another name, or drop it first.");
        }
        if (!row.system.equals(server.system) && !row.system.equals("unknown") && !server.system.equals("unknown")) {
            throw new CaptureException(start + "was reading the WAL of another cluster (system " + row.system
                    + ", this one is " + server.system
                    + "): its mark says nothing here, and changes may be missing. " + wayOut());
        }
    }

    private String wayOut() {
        return "Run 'baton captures drop " + plan.name()
                + "', which keeps the log, and start it again, with the rows that are there if the gap matters.";
    }

    private void requireNoSlot() {
        Slot slot = slot();
        if (slot != null) {
            throw new CaptureException("Capture '" + plan.name() + "': there is a replication slot '" + plan.slot()
                    + "' already (" + slot.plugin + ", database " + slot.database
                    + (slot.activePid == null ? "" : ", in use by process " + slot.activePid)
                    + "), and this capture did not make it. Give the capture another name or slot; or, if nobody needs it, "
                    + "SELECT pg_drop_replication_slot('" + plan.slot().replace("'", "''") + "').");
        }
    }

    /** The slot's first day. If we died between making and recording it, it is there and nothing was read from it. */
    private Row begun(boolean failover) {
        Slot there = slot();
        String lsn = there != null ? there.confirmed : createSlot(failover);
        return database.call("record the slot '" + plan.slot() + "'", connection -> {
            try (PreparedStatement begin = prepare(connection, CaptureSql.BEGIN_AT)) {
                begin.setString(1, lsn);
                begin.setString(2, lsn);
                begin.setString(3, plan.name());
                begin.executeUpdate();
            }
            return row(connection).orElseThrow();
        });
    }

    private String createSlot(boolean failover) {
        try {
            return database.call("create the slot '" + plan.slot() + "'", connection -> {
                try (PreparedStatement create =
                        prepare(connection, failover ? CaptureSql.CREATE_FAILOVER_SLOT : CaptureSql.CREATE_SLOT)) {
                    create.setString(1, plan.slot());
                    try (ResultSet row = create.executeQuery()) {
                        row.next();
                        return row.getString(1);
                    }
                }
            });
        } catch (DatabaseException refused) {
            String state = refused.getCause() instanceof SQLException cause ? cause.getSQLState() : "";
            if ("53400".equals(state)) {
                throw new CaptureException(
                        "Capture '" + plan.name()
                                + "': all replication slots of the server are taken. Raise max_replication_slots and restart it, or drop a slot "
                                + "that nobody uses (SELECT slot_name, active FROM pg_replication_slots).",
                        refused);
            }
            if ("42501".equals(state)) {
                throw new CaptureException(
                        "Capture '" + plan.name()
                                + "': this role may not replicate. ALTER ROLE … REPLICATION (a managed service has a role to grant for it).",
                        refused);
            }
            throw refused;
        }
    }

    /** We record what we acknowledge before we do it; so a slot that is further was moved, or made anew, by somebody else. */
    private void requireIntact(Row row) {
        Slot slot = slot();
        String start = "Capture '" + plan.name() + "': the slot '" + plan.slot() + "' ";
        if (slot == null || !slot.here || !"pgoutput".equals(slot.plugin)) {
            throw new CaptureException(start + (slot == null ? "is gone" : "is another database's or program's")
                    + ", and with it the changes since " + row.acknowledged + ". " + wayOut());
        }
        if ("lost".equals(slot.walStatus)) {
            throw new CaptureException(start + "is lost: the server has removed WAL that it still needed (see "
                    + "max_slot_wal_keep_size), and with it the changes since " + slot.confirmed + ". " + wayOut());
        }
        if (Long.compareUnsigned(Mark.parse(slot.confirmed), Mark.parse(known(row.acknowledged))) > 0) {
            throw new CaptureException(start + "is at " + slot.confirmed + ", and the capture has read up to "
                    + row.acknowledged
                    + ": somebody moved it, or dropped it and made it anew. The changes in between are not in the log. "
                    + wayOut());
        }
    }

    private void record(Connection connection, List<Table> tables) throws SQLException {
        try (PreparedStatement insert = prepare(connection, CaptureSql.RECORD)) {
            insert.setString(1, plan.name());
            insert.setString(2, plan.log());
            insert.setString(3, plan.publication());
            insert.setBoolean(4, !plan.foreignPublication());
            insert.setString(5, plan.slot());
            insert.setArray(
                    6,
                    connection.createArrayOf(
                            "text", tables.stream().map(Table::quoted).toArray()));
            insert.setArray(
                    7, connection.createArrayOf("text", plan.operationWords().toArray()));
            insert.executeUpdate();
        }
    }

    private Server server(Connection connection) throws SQLException {
        try (PreparedStatement select = prepare(connection, CaptureSql.SERVER);
                ResultSet row = select.executeQuery()) {
            row.next();
            return new Server(row.getInt(1), row.getString(2), row.getString(3));
        }
    }

    private Optional<Row> row(Connection connection) throws SQLException {
        try (PreparedStatement select = prepare(connection, CaptureSql.FIND)) {
            select.setString(1, plan.name());
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    return Optional.empty();
                }
                String lsn = row.getString("commit_lsn");
                String skip = row.getString("skip_lsn");
                return Optional.of(new Row(
                        row.getString("log"),
                        row.getString("publication"),
                        row.getString("slot"),
                        row.getString("system"),
                        lsn == null ? null : new Mark(Mark.parse(lsn), row.getLong("ordinal")),
                        row.getString("acknowledged"),
                        Table.texts(row, "tables"),
                        Table.texts(row, "operations"),
                        skip == null ? null : new Mark(Mark.parse(skip), row.getLong("skip_ordinal"))));
            }
        }
    }

    private @Nullable Slot slot() {
        return database.<Optional<Slot>>call("look at the slot '" + plan.slot() + "'", connection -> {
                    try (PreparedStatement select = prepare(connection, CaptureSql.SLOT)) {
                        select.setString(1, plan.slot());
                        try (ResultSet row = select.executeQuery()) {
                            return row.next()
                                    ? Optional.of(new Slot(
                                            row.getString(1),
                                            row.getString(2),
                                            row.getBoolean(3),
                                            row.getObject(4, Integer.class),
                                            row.getString(5),
                                            row.getString(6)))
                                    : Optional.empty();
                        }
                    }
                })
                .orElse(null);
    }

    private PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        return connection.prepareStatement(database.schema().in(sql));
    }

    private static <T> T known(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("A capture that has begun has a mark.");
        }
        return value;
    }
}
