package org.pgbaton.publication;

/** Statements about gaps of captures: the table {@code capture_gap}, and the place up to which there is none. */
final class GapSql {
    static final String WAL_END = "SELECT pg_current_wal_insert_lsn()::text, clock_timestamp()";

    static final String RECORD_INTACT = """
            UPDATE ${schema}.capture SET intact_lsn = ?::pg_lsn, intact_at = ?
             WHERE name = ? AND (intact_lsn IS NULL OR intact_lsn < ?::pg_lsn)""";

    /** A gap that is only suspected has an end at once. */
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

    private GapSql() {}
}
