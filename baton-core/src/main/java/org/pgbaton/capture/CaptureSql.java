package org.pgbaton.capture;

/** What captures say to the database. The view and {@code advance_capture} are in {@code routines/capture.sql}. */
final class CaptureSql {
    /** The name as the user gave it, along his own search_path, with its schema. */
    static final String NAME = """
            SELECT pg_catalog.format('%I.%I', n.nspname, c.relname) FROM pg_catalog.pg_class c
              JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
             WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass(?)::pg_catalog.oid""";

    /** A table with what a publication and a key need to know of it. */
    static final String TABLE = """
            SELECT c.oid, n.nspname, c.relname, format('%I.%I', n.nspname, c.relname) AS quoted, c.relkind, c.relpersistence,
                   c.relreplident, pg_has_role(c.relowner, 'USAGE') AS owned, pg_get_userbyid(c.relowner) AS owner, current_user,
                   ARRAY(SELECT a.attname::text FROM pg_attribute a
                          WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum) AS columns,
                   ARRAY(SELECT a.attname::text FROM pg_attribute a
                          WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attnum) AS sent,
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
                   NOT p.pubviaroot OR EXISTS (SELECT FROM pg_publication_rel r
                      WHERE r.prpubid = p.oid AND (to_jsonb(r) ->> 'prqual' IS NOT NULL OR to_jsonb(r) ->> 'prattrs' IS NOT NULL))
              FROM pg_publication p WHERE p.pubname = ?""";

    /** Columns that a row filter looks at, of those tables whose UPDATE and DELETE would then need them in the replica identity. */
    static final String FILTERED_BY = """
            SELECT a.attname FROM pg_publication_rel r
              JOIN pg_publication p ON p.oid = r.prpubid
              JOIN pg_depend d ON d.classid = 'pg_publication_rel'::regclass AND d.objid = r.oid
                              AND d.refclassid = 'pg_class'::regclass AND d.refobjid = r.prrelid AND d.refobjsubid > 0
              JOIN pg_attribute a ON a.attrelid = r.prrelid AND a.attnum = d.refobjsubid
             WHERE p.pubname = ? AND r.prrelid = ?""";

    /**
     * What a capture rests on: subject, aspect, state, and of a partition its name and the transaction that has last changed its entry. The
     * catalogs of older servers lack some columns, so these come by way of JSON.
     */
    static final String BASIS = """
            WITH publication AS (SELECT p.* FROM pg_publication p WHERE p.pubname = ?),
                 members AS (SELECT to_regclass(format('%I.%I', t.schemaname, t.tablename))::oid AS relation, to_jsonb(t) ->> 'rowfilter' AS filter
                               FROM publication p JOIN pg_publication_tables t ON t.pubname = p.pubname WHERE NOT p.puballtables),
                 wanted AS (SELECT w.name, c.oid AS relation, c.relreplident, c.relpersistence
                              FROM unnest(?::text[], ?::bigint[]) AS w (name, number)
                              LEFT JOIN pg_class c ON c.oid = coalesce(to_regclass(w.name)::oid, w.number::oid))
            SELECT '' AS subject, 'operations' AS aspect,
                   coalesce((SELECT array_to_string(ARRAY[CASE WHEN pubinsert THEN 'insert' END, CASE WHEN pubupdate THEN 'update' END,
                                     CASE WHEN pubdelete THEN 'delete' END, CASE WHEN pubtruncate THEN 'truncate' END], ', ')
                               FROM publication), '-') AS state, NULL::text AS name, 0::bigint AS changed_by
            UNION ALL SELECT '', 'root', pubviaroot::text, NULL, 0 FROM publication
            UNION ALL SELECT name, 'table', coalesce(relation, 0)::text, NULL, 0 FROM wanted
            UNION ALL SELECT name, 'published',
                             CASE WHEN relpersistence = 'p' AND ((SELECT puballtables FROM publication)
                                                                 OR relation IN (SELECT m.relation FROM members m)) THEN 'yes' ELSE 'no' END,
                             NULL, 0 FROM wanted
            UNION ALL SELECT name, 'filter', coalesce((SELECT min(m.filter) FROM members m WHERE m.relation = w.relation), ''), NULL, 0
                        FROM wanted w
            UNION ALL SELECT name, 'columns',
                             coalesce((SELECT min(to_jsonb(r) ->> 'prattrs') FROM pg_publication_rel r
                                        WHERE r.prpubid = (SELECT p.oid FROM publication p) AND r.prrelid = w.relation), ''), NULL, 0
                        FROM wanted w
            UNION ALL SELECT name, 'identity',
                             coalesce(relreplident::text, '-')
                             || coalesce((SELECT string_agg(' ' || k, '' ORDER BY k) FROM pg_index i, unnest(i.indkey::int2[]) AS k
                                           WHERE i.indrelid = w.relation
                                             AND CASE w.relreplident WHEN 'd' THEN i.indisprimary WHEN 'i' THEN i.indisreplident ELSE false END),
                                         ''), NULL, 0
                        FROM wanted w
            UNION ALL SELECT c.oid::text, 'file', c.relfilenode::text, c.oid::regclass::text, c.xmin::text::bigint
                        FROM wanted w CROSS JOIN LATERAL pg_partition_tree(w.relation::regclass) t JOIN pg_class c ON c.oid = t.relid
                       WHERE ? AND t.isleaf AND t.relid <> w.relation AND c.relkind = 'r'""";

    static final String RECORDED_BASIS = "SELECT subject, aspect, state FROM ${schema}.capture_basis WHERE capture = ?";

    static final String FORGET_BASIS = "DELETE FROM ${schema}.capture_basis WHERE capture = ?";

    static final String RECORD_BASIS = """
            INSERT INTO ${schema}.capture_basis (capture, subject, aspect, state)
            SELECT ?, t.* FROM unnest(?::text[], ?::text[], ?::text[]) AS t""";

    static final String NOW = "SELECT pg_current_wal_insert_lsn()::text, clock_timestamp()";

    static final String INTACT = """
            UPDATE ${schema}.capture SET intact_lsn = ?::pg_lsn, intact_at = ?
             WHERE name = ? AND (intact_lsn IS NULL OR intact_lsn < ?::pg_lsn)""";

    /** What is only suspected has an end at once. */
    static final String RECORD_GAP = """
            INSERT INTO ${schema}.capture_gap (capture, table_name, what, from_lsn, from_at, to_lsn, to_at, suspect)
            SELECT c.name, ?, ?, c.intact_lsn, c.intact_at, CASE WHEN s.transaction <> 0 THEN pg_current_wal_insert_lsn() END,
                   CASE WHEN s.transaction <> 0 THEN clock_timestamp() END, nullif(s.transaction, 0)
              FROM ${schema}.capture c CROSS JOIN (SELECT ?::bigint AS transaction) s
             WHERE c.name = ?
            ON CONFLICT DO NOTHING""";

    static final String END_GAPS = """
            UPDATE ${schema}.capture_gap SET to_lsn = pg_current_wal_insert_lsn(), to_at = clock_timestamp()
             WHERE capture = ? AND to_lsn IS NULL""";

    static final String SUSPECTS = """
            SELECT id, suspect, to_lsn::text FROM ${schema}.capture_gap WHERE capture = ? AND suspect IS NOT NULL ORDER BY id""";

    static final String CONFIRM_GAP = "UPDATE ${schema}.capture_gap SET suspect = NULL WHERE id = ?";

    static final String FORGET_GAP = "DELETE FROM ${schema}.capture_gap WHERE id = ?";

    static final String GAPS = """
            SELECT id, capture, table_name, what, from_lsn::text, from_at, to_lsn::text, to_at, found_at, settled_at, settled_by, settled_reason
              FROM ${schema}.capture_gap WHERE capture = ? AND suspect IS NULL ORDER BY id""";

    static final String SETTLE = """
            UPDATE ${schema}.capture_gap SET settled_at = clock_timestamp(), settled_by = ?, settled_reason = ?
             WHERE capture = ? AND settled_at IS NULL AND suspect IS NULL AND to_lsn IS NOT NULL""";

    /** Whether somebody wants something of the reader, and whether there is something to tell. */
    static final String LOOK = """
            SELECT c.paused, c.skip_lsn::text, c.skip_ordinal,
                   (SELECT count(*) FROM ${schema}.capture_gap g WHERE g.capture = c.name AND g.settled_at IS NULL AND g.suspect IS NULL) AS gaps
              FROM ${schema}.capture c WHERE c.name = ?""";

    static final String STUCK =
            "UPDATE ${schema}.capture SET stuck_lsn = ?::pg_lsn, stuck_ordinal = ?, stuck_what = ? WHERE name = ?";

    static final String SKIP = """
            UPDATE ${schema}.capture
               SET skip_lsn = stuck_lsn, skip_ordinal = CASE WHEN ? THEN 9223372036854775807 ELSE stuck_ordinal END
             WHERE name = ? AND stuck_lsn IS NOT NULL
            RETURNING stuck_lsn::text, stuck_ordinal, stuck_what""";

    /** It was asked for by somebody who knows, so it is settled. */
    static final String SKIPPED = """
            INSERT INTO ${schema}.capture_gap (capture, what, from_lsn, to_lsn, settled_at, settled_by, settled_reason)
            VALUES (?, ?, ?::pg_lsn, ?::pg_lsn, clock_timestamp(), ?, ?)""";

    static final String WARNING =
            "UPDATE ${schema}.capture SET warning = ? WHERE name = ? AND warning IS DISTINCT FROM ?";

    /** The one that had the slot before us, if it was one of ours. */
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

    /** From PostgreSQL 17 on a standby can be told to keep a copy of the slot, and go on with it when it is promoted. */
    static final String CREATE_FAILOVER_SLOT =
            "SELECT lsn::text FROM pg_create_logical_replication_slot(?, 'pgoutput', failover => true)";

    static final String DROP_SLOT = "SELECT pg_drop_replication_slot(?)";

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

    static final String ADVANCE = "SELECT ${schema}.advance_capture(?, ?::pg_lsn, ?, ?::pg_lsn, ?, ?::pg_lsn, ?, ?)";

    /** Unless the role's own setting is at least as strong. */
    static final String DURABLE = """
            SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')""";

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

    /**
     * The columns of a table as a publication sends them. Generated ones are left out, unless the publication says otherwise (18 and later); of a
     * domain, and of a domain over it, the type is that at the bottom.
     */
    static final String COLUMNS = """
            WITH RECURSIVE wanted AS (SELECT ?::bigint::oid AS relation, ?::text AS publication),
                 published AS (SELECT to_jsonb(t) -> 'attnames' AS names FROM wanted w
                                 JOIN pg_publication_tables t ON t.pubname = w.publication
                                  AND to_regclass(format('%I.%I', t.schemaname, t.tablename))::oid = w.relation),
                 base AS (SELECT a.attnum, t.typtype, t.typbasetype, t.typelem, t.typname, t.typnamespace
                            FROM wanted w JOIN pg_attribute a ON a.attrelid = w.relation AND a.attnum > 0 JOIN pg_type t ON t.oid = a.atttypid
                           UNION ALL
                          SELECT b.attnum, t.typtype, t.typbasetype, t.typelem, t.typname, t.typnamespace
                            FROM base b JOIN pg_type t ON t.oid = b.typbasetype WHERE b.typtype = 'd')
            SELECT a.attname, a.atttypid, a.atttypmod, format_type(a.atttypid, a.atttypmod) AS declared, format('%I', a.attname) AS quoted,
                   n.nspname, b.typname, coalesce(array_position(i.indkey::int2[], a.attnum), -1) AS key_place,
                   coalesce((SELECT e.typdelim::text FROM pg_type e WHERE e.oid = b.typelem), ',') AS delimiter
              FROM wanted w JOIN pg_attribute a ON a.attrelid = w.relation
              JOIN base b ON b.attnum = a.attnum AND b.typtype <> 'd'
              JOIN pg_namespace n ON n.oid = b.typnamespace
              LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
              LEFT JOIN published p ON true
             WHERE a.attnum > 0 AND NOT a.attisdropped
               AND CASE WHEN p.names IS NULL THEN a.attgenerated = '' ELSE p.names @> to_jsonb(a.attname::text) END
             ORDER BY a.attnum""";

    /** Between the elements of an array, also if it is a domain over one. */
    static final String DELIMITER = """
            WITH RECURSIVE base AS (SELECT t.typtype, t.typbasetype, t.typelem FROM pg_type t WHERE t.oid = ?::bigint::oid
                           UNION ALL
                          SELECT t.typtype, t.typbasetype, t.typelem FROM base b JOIN pg_type t ON t.oid = b.typbasetype WHERE b.typtype = 'd')
            SELECT e.typdelim FROM base b JOIN pg_type e ON e.oid = b.typelem WHERE b.typtype <> 'd'""";

    /** What the slot says when everything that a chunk could know has passed. */
    static final String EMIT = "SELECT pg_logical_emit_message(true, ?, ?)";

    static final String PROBLEM = """
            UPDATE ${schema}.capture
               SET stuck_lsn = NULL, stuck_ordinal = NULL, stuck_what = NULL,
                   problem = ?, problem_since = CASE WHEN problem IS NOT DISTINCT FROM ? THEN problem_since ELSE clock_timestamp() END
             WHERE name = ? AND problem IS DISTINCT FROM ?""";

    static final String SET_PAUSED = "UPDATE ${schema}.capture SET paused = ? WHERE name = ?";

    static final String ACTION =
            "INSERT INTO ${schema}.action (who, what, subject, reason, detail) VALUES (?, ?, ?, ?, ?)";

    static final String FORGET = "DELETE FROM ${schema}.capture WHERE name = ?";

    static final String STATUS = """
            SELECT name, state, log, tables, operations, publication, own_publication, slot, changes, changed_at, owner, epoch,
                   wal_status, safe_wal_size, retained_bytes, behind_bytes, problem, problem_since, created_at, warning, gaps
              FROM ${schema}.capture_status WHERE name = ? OR ? IS NULL ORDER BY name""";

    private CaptureSql() {}
}
