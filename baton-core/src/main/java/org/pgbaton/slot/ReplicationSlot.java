package org.pgbaton.slot;

import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgbaton.capture.CaptureException;
import org.pgbaton.database.DatabaseException;
import org.pgbaton.database.Fault;
import org.pgbaton.pgoutput.Lsn;
import org.pgbaton.publication.CapturePlan;
import org.pgbaton.session.DatabaseAccess;
import org.pgbaton.session.Sql;

/** The replication slot of a capture: finds and makes it, and refuses one that has lost changes. Thread-safe. */
public final class ReplicationSlot {
    private final DatabaseAccess database;
    private final CapturePlan plan;
    private final Sql sql;

    public ReplicationSlot(DatabaseAccess database, CapturePlan plan) {
        this.database = database;
        this.plan = plan;
        this.sql = new Sql(database.schema());
    }

    public @Nullable SlotState find() {
        return database.<Optional<SlotState>>call(
                        "look at the slot '" + plan.slot() + "'",
                        connection ->
                                Optional.ofNullable(sql.first(connection, SlotSql.SLOT, SlotState::read, plan.slot())))
                .orElse(null);
    }

    /**
     * @param failover whether a standby keeps a copy of the slot
     * @return the place where it begins
     */
    public String create(boolean failover) {
        try {
            return database.call(
                    "create the slot '" + plan.slot() + "'",
                    connection -> sql.all(
                                    connection,
                                    failover ? SlotSql.CREATE_FAILOVER_SLOT : SlotSql.CREATE_SLOT,
                                    row -> row.getString(1),
                                    plan.slot())
                            .get(0));
        } catch (DatabaseException refused) {
            if (refused.getCause() instanceof SQLException cause && "53400".equals(cause.getSQLState())) {
                throw new CaptureException(
                        plan.heading()
                                + "all replication slots of the server are taken. Raise max_replication_slots and restart it, or drop a slot "
                                + "that nobody uses (SELECT slot_name, active FROM pg_replication_slots).",
                        refused);
            }
            if (refused.fault() == Fault.NO_PRIVILEGE) {
                throw new CaptureException(
                        plan.heading()
                                + "this role may not replicate. ALTER ROLE … REPLICATION (a managed service has a role to grant for it).",
                        refused);
            }
            throw refused;
        }
    }

    /** @throws CaptureException if there is a slot of that name, which a new capture cannot have made */
    public void requireNone() {
        SlotState slot = find();
        if (slot != null) {
            throw new CaptureException(plan.heading() + "there is a replication slot '" + plan.slot() + "' already ("
                    + slot.plugin() + ", database " + slot.database()
                    + (slot.activePid() == null ? "" : ", in use by process " + slot.activePid())
                    + "), and this capture did not make it. Give the capture another name or slot; or, if nobody needs it, "
                    + "SELECT pg_drop_replication_slot('" + plan.slot().replace("'", "''") + "').");
        }
    }

    /**
     * Every acknowledgement is recorded before it is sent. So a slot that is further than the record was moved, or made again, by somebody else.
     *
     * @param acknowledged the place that was recorded last
     * @throws CaptureException if the slot is gone, is lost, or is further
     */
    public void requireIntact(String acknowledged) {
        SlotState slot = find();
        String heading = plan.heading() + "the slot '" + plan.slot() + "' ";
        if (slot == null || !slot.isHere() || !"pgoutput".equals(slot.plugin())) {
            throw new CaptureException(heading + (slot == null ? "is gone" : "is another database's or program's")
                    + ", and with it the changes since " + acknowledged + ". " + plan.adviceToStartAgain());
        }
        if ("lost".equals(slot.walStatus())) {
            throw new CaptureException(heading + "is lost: the server has removed WAL that it still needed (see "
                    + "max_slot_wal_keep_size), and with it the changes since " + slot.confirmed() + ". "
                    + plan.adviceToStartAgain());
        }
        if (Long.compareUnsigned(Lsn.parse(slot.confirmed()), Lsn.parse(acknowledged)) > 0) {
            throw new CaptureException(heading + "is at " + slot.confirmed() + ", and the capture has read up to "
                    + acknowledged
                    + ": somebody moved it, or dropped it and made it anew. The changes in between are not in the log. "
                    + plan.adviceToStartAgain());
        }
    }
}
