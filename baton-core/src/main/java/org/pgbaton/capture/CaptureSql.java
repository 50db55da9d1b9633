package org.pgbaton.capture;

/** What captures say to the database. The table, its view and {@code advance_capture} are in {@code 0006_capture.sql}. */
final class CaptureSql {
    /** A table with what a publication and a key need to know of it. */
    static final String TABLE = """
            SELECT c.oid, n.nspname, c.relname, format('%I.%I', n.nspname, c.relname) AS quoted, c.relkind, c.relpersistence,
                   c.relreplident, pg_has_role(c.relowner, 'USAGE') AS owned, pg_get_userbyid(c.relowner) AS owner, current_user,
                   ARRAY(SELECT a.attname::text FROM pg_attribute a
                          WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum) AS columns,
                   ARRAY(SELECT a.attname::text FROM pg_index i JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
                          WHERE i.indrelid = c.oid AND i.indisprimary ORDER BY array_position(i.indkey::int2[], a.attnum)) AS primary_key,
                   ARRAY(SELECT a.attname::text FROM pg_index i JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
                          WHERE i.indrelid = c.oid AND CASE c.relreplident WHEN 'd' THEN i.indisprimary
                                                                           WHEN 'i' THEN i.indisreplident END) AS identity
              FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE c.oid = to_regclass(?)""";

    static final String SERVER = """
            SELECT current_setting('server_version_num')::integer, current_setting('wal_level'), ${schema}.system()""";

    static final String PUBLICATION = """
            SELECT array_remove(ARRAY[CASE WHEN p.pubinsert THEN 'insert' END, CASE WHEN p.pubupdate THEN 'update' END,
                                      CASE WHEN p.pubdelete THEN 'delete' END, CASE WHEN p.pubtruncate THEN 'truncate' END], NULL),
                   ARRAY(SELECT format('%I.%I', t.schemaname, t.tablename) FROM pg_publication_tables t WHERE t.pubname = p.pubname),
                   (SELECT min(l.relation::text) FROM ${schema}.log l JOIN pg_class c ON c.oid = l.relation
                      JOIN pg_namespace n ON n.oid = c.relnamespace
                      JOIN pg_publication_tables t ON t.pubname = p.pubname AND t.schemaname = n.nspname AND t.tablename = c.relname),
                   EXISTS (SELECT FROM pg_publication_rel r WHERE r.prpubid = p.oid AND to_jsonb(r) ->> 'prqual' IS NOT NULL)
              FROM pg_publication p WHERE p.pubname = ?""";

    /** Columns that a row filter looks at, of those tables whose UPDATE and DELETE would then need them in the replica identity. */
    static final String FILTERED_BY = """
            SELECT a.attname FROM pg_publication_rel r
              JOIN pg_publication p ON p.oid = r.prpubid
              JOIN pg_depend d ON d.classid = 'pg_publication_rel'::regclass AND d.objid = r.oid
                              AND d.refclassid = 'pg_class'::regclass AND d.refobjid = r.prrelid AND d.refobjsubid > 0
              JOIN pg_attribute a ON a.attrelid = r.prrelid AND a.attnum = d.refobjsubid
             WHERE p.pubname = ? AND r.prrelid = ?""";

    static final String SLOT = """
            SELECT plugin, database, database = current_database(), active_pid, confirmed_flush_lsn::text, wal_status, safe_wal_size,
                   pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint
              FROM pg_replication_slots WHERE slot_name = ?""";

    static final String CREATE_SLOT = "SELECT lsn::text FROM pg_create_logical_replication_slot(?, 'pgoutput')";

    /** From PostgreSQL 17 on a standby can be told to keep a copy of the slot, and go on with it when it is promoted. */
    static final String CREATE_FAILOVER_SLOT =
            "SELECT lsn::text FROM pg_create_logical_replication_slot(?, 'pgoutput', failover => true)";

    static final String DROP_SLOT = "SELECT pg_drop_replication_slot(?)";

    static final String FIND = """
            SELECT log, publication, own_publication, slot, system, commit_lsn::text, ordinal, acknowledged::text, paused
              FROM ${schema}.capture WHERE name = ?""";

    static final String RECORD = """
            INSERT INTO ${schema}.capture (name, log, publication, own_publication, slot, system, tables, operations)
            VALUES (?, ?, ?, ?, ?, ${schema}.system(), ?, ?)
            ON CONFLICT (name) DO UPDATE SET tables = excluded.tables, operations = excluded.operations""";

    static final String BEGIN_AT = """
            UPDATE ${schema}.capture SET commit_lsn = ?::pg_lsn, acknowledged = ?::pg_lsn WHERE name = ? AND acknowledged IS NULL""";

    static final String ADVANCE = "SELECT ${schema}.advance_capture(?, ?::pg_lsn, ?, ?::pg_lsn, ?, ?::pg_lsn, ?, ?)";

    /** What the mark may have been told; the mark itself stays. */
    static final String ACKNOWLEDGE =
            "UPDATE ${schema}.capture SET acknowledged = greatest(acknowledged, ?::pg_lsn) WHERE name = ?";

    /** Unless one of that table is under way. */
    static final String REQUEST_SNAPSHOT = """
            INSERT INTO ${schema}.capture_snapshot (capture, table_name, estimated)
            SELECT ?, t, greatest(coalesce((SELECT c.reltuples FROM pg_class c WHERE c.oid = to_regclass(t)), 0), 0)::bigint
              FROM unnest(?::text[]) AS t
            ON CONFLICT (capture, table_name) WHERE done_at IS NULL DO NOTHING""";

    static final String NEXT_SNAPSHOT = """
            SELECT id, table_name, after_key FROM ${schema}.capture_snapshot
             WHERE capture = ? AND done_at IS NULL ORDER BY id LIMIT 1""";

    static final String ADVANCE_SNAPSHOT = """
            UPDATE ${schema}.capture_snapshot
               SET after_key = coalesce(?, after_key), sent = sent + ?, begun_at = coalesce(begun_at, clock_timestamp()),
                   done_at = CASE WHEN ? THEN clock_timestamp() END
             WHERE id = ?""";

    static final String SNAPSHOTS = """
            SELECT table_name, sent, estimated, requested_at, begun_at, done_at FROM ${schema}.capture_snapshot
             WHERE capture = ? ORDER BY id""";

    /** The columns of a table as a publication sends them: generated ones are left out. */
    static final String COLUMNS = """
            SELECT a.attname, a.atttypid, a.atttypmod, format_type(a.atttypid, a.atttypmod) AS declared, format('%I', a.attname) AS quoted,
                   n.nspname, b.typname, coalesce(array_position(i.indkey::int2[], a.attnum), -1) AS key_place
              FROM pg_attribute a
              JOIN pg_type t ON t.oid = a.atttypid
              JOIN pg_type b ON b.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END
              JOIN pg_namespace n ON n.oid = b.typnamespace
              LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
             WHERE a.attrelid = ? AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attnum""";

    /** What the slot says when everything that a chunk could know has passed. */
    static final String EMIT = "SELECT pg_logical_emit_message(true, ?, ?)";

    static final String PROBLEM = """
            UPDATE ${schema}.capture
               SET problem = ?, problem_since = CASE WHEN problem IS NOT DISTINCT FROM ? THEN problem_since ELSE clock_timestamp() END
             WHERE name = ? AND problem IS DISTINCT FROM ?""";

    static final String IS_PAUSED = "SELECT paused FROM ${schema}.capture WHERE name = ?";

    static final String SET_PAUSED = "UPDATE ${schema}.capture SET paused = ? WHERE name = ?";

    static final String ACTION =
            "INSERT INTO ${schema}.action (who, what, subject, reason, detail) VALUES (?, ?, ?, ?, ?)";

    static final String FORGET = "DELETE FROM ${schema}.capture WHERE name = ?";

    static final String STATUS = """
            SELECT name, state, log, tables, operations, publication, own_publication, slot, changes, changed_at, owner, epoch,
                   wal_status, safe_wal_size, retained_bytes, behind_bytes, problem, problem_since, created_at
              FROM ${schema}.capture_status WHERE name = ? OR ? IS NULL ORDER BY name""";

    private CaptureSql() {}
}
