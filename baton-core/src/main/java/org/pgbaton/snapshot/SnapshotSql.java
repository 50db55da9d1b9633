package org.pgbaton.snapshot;

/** Statements about the existing rows of captured tables: the table {@code capture_snapshot}, and what is needed to read them. */
final class SnapshotSql {
    /** Except for tables that are being sent. */
    static final String REQUEST = """
            INSERT INTO ${schema}.capture_snapshot (capture, table_name, estimated)
            SELECT ?, t, greatest(coalesce((SELECT c.reltuples FROM pg_class c WHERE c.oid = to_regclass(t)), 0), 0)::bigint
              FROM unnest(?::text[]) AS t
            ON CONFLICT (capture, table_name) WHERE done_at IS NULL DO NOTHING""";

    static final String NEXT = """
            SELECT id, table_name, after_key FROM ${schema}.capture_snapshot
             WHERE capture = ? AND done_at IS NULL ORDER BY id LIMIT 1""";

    static final String ADVANCE = """
            UPDATE ${schema}.capture_snapshot
               SET after_key = coalesce(?::text[], after_key), sent = sent + ?, begun_at = coalesce(begun_at, clock_timestamp()),
                   done_at = CASE WHEN ? THEN clock_timestamp() END
             WHERE id = ?""";

    static final String LIST = """
            SELECT table_name, sent, estimated, requested_at, begun_at, done_at FROM ${schema}.capture_snapshot
             WHERE capture = ? ORDER BY id""";

    /**
     * The columns of a table as a publication sends them. Generated columns are left out, unless the publication includes them (PostgreSQL 18 and
     * later). The type of a domain, and of a domain over a domain, is the base type.
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

    /** The transactions that are open now, without prepared ones. */
    static final String OPEN_TRANSACTIONS = """
            SELECT x::text::bigint & 4294967295 FROM pg_snapshot_xip(pg_current_snapshot()) x
             WHERE x::text::bigint & 4294967295 NOT IN (SELECT transaction::text::bigint FROM pg_prepared_xacts)""";

    /** The slot repeats this message when it has sent all changes that were committed before it. */
    static final String EMIT = "SELECT pg_logical_emit_message(true, ?, ?)";

    private SnapshotSql() {}
}
