package org.pgbaton.operator;

/** Statements of operators about captures. */
final class CaptureOperatorSql {
    static final String SET_PAUSED = "UPDATE ${schema}.capture SET paused = ? WHERE name = ?";

    static final String SKIP = """
            UPDATE ${schema}.capture
               SET skip_lsn = stuck_lsn, skip_ordinal = CASE WHEN ? THEN 9223372036854775807 ELSE stuck_ordinal END
             WHERE name = ? AND stuck_lsn IS NOT NULL
            RETURNING stuck_lsn::text, stuck_ordinal, stuck_what""";

    /** An operator asked for it, so the gap is settled at once. */
    static final String RECORD_SKIPPED = """
            INSERT INTO ${schema}.capture_gap (capture, what, from_lsn, to_lsn, settled_at, settled_by, settled_reason)
            VALUES (?, ?, ?::pg_lsn, ?::pg_lsn, clock_timestamp(), ?, ?)""";

    static final String SETTLE = """
            UPDATE ${schema}.capture_gap SET settled_at = clock_timestamp(), settled_by = ?, settled_reason = ?
             WHERE capture = ? AND settled_at IS NULL AND suspect IS NULL AND to_lsn IS NOT NULL""";

    static final String DROP_SLOT = "SELECT pg_drop_replication_slot(?)";

    static final String DELETE = "DELETE FROM ${schema}.capture WHERE name = ?";

    private CaptureOperatorSql() {}
}
