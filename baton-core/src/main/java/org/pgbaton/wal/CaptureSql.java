package org.pgbaton.wal;

/** Statements about captures: the table {@code capture}. The view and {@code advance_capture} are in {@code routines/capture.sql}. */
final class CaptureSql {
    static final String SERVER = """
            SELECT current_setting('server_version_num')::integer, current_setting('wal_level'), ${schema}.system()""";

    static final String FIND = """
            SELECT log, publication, own_publication, slot, system, commit_lsn::text, ordinal, acknowledged::text, paused, tables,
                   operations, skip_lsn::text, skip_ordinal
              FROM ${schema}.capture WHERE name = ?""";

    static final String RECORD = """
            INSERT INTO ${schema}.capture (name, log, publication, own_publication, slot, system, tables, operations)
            VALUES (?, ?, ?, ?, ?, ${schema}.system(), ?, ?)
            ON CONFLICT (name) DO UPDATE SET tables = excluded.tables, operations = excluded.operations""";

    static final String BEGIN_AT = """
            UPDATE ${schema}.capture SET commit_lsn = ?::pg_lsn, acknowledged = ?::pg_lsn WHERE name = ? AND acknowledged IS NULL""";

    static final String ADVANCE =
            "SELECT ${schema}.advance_capture(?, ?::pg_lsn, ?, ?::pg_lsn, ?, ?::pg_lsn, ?, ?::timestamptz)";

    /** Makes the commit durable, unless the role's own setting does already. */
    static final String DURABLE = """
            SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')""";

    /** How far the slot may be acknowledged, without new changes. */
    static final String ACKNOWLEDGE =
            "UPDATE ${schema}.capture SET acknowledged = greatest(acknowledged, ?::pg_lsn) WHERE name = ?";

    static final String WAL_END = "SELECT pg_catalog.pg_current_wal_insert_lsn()::pg_catalog.text";

    /** The delimiter of an array type, or of a domain over one. */
    static final String DELIMITER = """
            WITH RECURSIVE base AS (SELECT t.typtype, t.typbasetype, t.typelem FROM pg_type t WHERE t.oid = ?::bigint::oid
                           UNION ALL
                          SELECT t.typtype, t.typbasetype, t.typelem FROM base b JOIN pg_type t ON t.oid = b.typbasetype WHERE b.typtype = 'd')
            SELECT e.typdelim FROM base b JOIN pg_type e ON e.oid = b.typelem WHERE b.typtype <> 'd'""";

    /** The wishes of operators, and the number of open gaps. */
    static final String WISHES = """
            SELECT c.paused, c.skip_lsn::text, c.skip_ordinal,
                   (SELECT count(*) FROM ${schema}.capture_gap g WHERE g.capture = c.name AND g.settled_at IS NULL AND g.suspect IS NULL) AS gaps
              FROM ${schema}.capture c WHERE c.name = ?""";

    static final String RECORD_PROBLEM = """
            UPDATE ${schema}.capture
               SET stuck_lsn = NULL, stuck_ordinal = NULL, stuck_what = NULL,
                   problem = ?, problem_since = CASE WHEN problem IS NOT DISTINCT FROM ? THEN problem_since ELSE clock_timestamp() END
             WHERE name = ? AND problem IS DISTINCT FROM ?""";

    static final String RECORD_UNREADABLE =
            "UPDATE ${schema}.capture SET stuck_lsn = ?::pg_lsn, stuck_ordinal = ?, stuck_what = ? WHERE name = ?";

    static final String RECORD_WARNING =
            "UPDATE ${schema}.capture SET warning = ? WHERE name = ? AND warning IS DISTINCT FROM ?";

    static final String STATUS = """
            SELECT name, state, log, tables, operations, publication, own_publication, slot, changes, changed_at, owner, epoch,
                   wal_status, safe_wal_size, retained_bytes, behind_bytes, problem, problem_since, created_at, warning, gaps
              FROM ${schema}.capture_status WHERE name = ? OR ? IS NULL ORDER BY name""";

    private CaptureSql() {}
}
