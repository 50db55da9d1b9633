package org.pgbaton.slot;

/** Statements about replication slots and who reads them. */
final class SlotSql {
    /** The connection that reads the slot, and whether this role may end it. */
    static final String FORMER_READER = """
            SELECT s.active_pid, a.application_name, a.usename, pg_has_role(a.usesysid, 'USAGE') OR pg_has_role('pg_signal_backend', 'USAGE')
              FROM pg_replication_slots s JOIN pg_stat_activity a ON a.pid = s.active_pid WHERE s.slot_name = ?""";

    static final String TERMINATE = "SELECT pg_terminate_backend(?)";

    static final String SLOT = """
            SELECT plugin, database, database = current_database(), active_pid, confirmed_flush_lsn::text, wal_status, safe_wal_size,
                   pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint,
                   pg_current_wal_lsn()::text
              FROM pg_replication_slots WHERE slot_name = ?""";

    static final String CREATE_SLOT = "SELECT lsn::text FROM pg_create_logical_replication_slot(?, 'pgoutput')";

    /** From PostgreSQL 17 on, a standby can keep a copy of the slot, and continue with it when it is promoted. */
    static final String CREATE_FAILOVER_SLOT =
            "SELECT lsn::text FROM pg_create_logical_replication_slot(?, 'pgoutput', failover => true)";

    private SlotSql() {}
}
