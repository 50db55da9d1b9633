package org.pgbaton.table;

/**
 * The statements about logs. {@code ${log}} stands for the quoted name of a log's table. The functions are
 * in {@code routines/log.sql} and {@code routines/outbox.sql}.
 */
final class LogSql {
    /** One row costs half as much without arrays. */
    static final String INSERT_ONE = """
            INSERT INTO ${log} (id, key, version, type, topic, headers, payload, data)
            VALUES (?, ?, ?, ?, ?, ?::pg_catalog.json, ?::pg_catalog.json, ?)""";

    static final String INSERT_MANY = """
            INSERT INTO ${log} (id, key, version, type, topic, headers, payload, data)
            SELECT d.id, d.key, d.version, d.type, d.topic, d.headers::pg_catalog.json, d.payload::pg_catalog.json, d.data
              FROM unnest(?::pg_catalog.uuid[], ?::pg_catalog.text[], ?::pg_catalog.int8[], ?::pg_catalog.text[],
                     ?::pg_catalog.text[], ?::pg_catalog.text[], ?::pg_catalog.text[], ?::pg_catalog.bytea[])
                   WITH ORDINALITY AS d (id, key, version, type, topic, headers, payload, data, n)
             ORDER BY d.n""";

    // Whoever may append need not be able to read: of a row that it wrote, an appender may see position and id.

    /** Only the id may be there already: a position that is there already is a fault that must show. */
    static final String UNLESS_ID_IS_THERE = " ON CONFLICT (id) DO NOTHING RETURNING position, id";

    /** Raises no error if the message is there already: a conflict must not cost the caller's transaction. */
    static final String UNLESS_ID_OR_VERSION_IS_THERE = " ON CONFLICT DO NOTHING RETURNING position, id";

    static final String FIND_IDS =
            "SELECT position, id, key, version FROM ${schema}.find_ids('${log}'::pg_catalog.regclass, ?)";

    static final String LOCK_STREAMS = """
            SELECT key, version, pg_catalog.current_setting('transaction_isolation')
              FROM ${schema}.lock_streams(?::pg_catalog.int8::pg_catalog.oid::pg_catalog.regclass, ?, ?)""";

    static final String END = "SELECT coalesce(pg_sequence_last_value(?::bigint::oid::regclass), 0)";

    /** The doorbell, -1, is far above the lanes as an unsigned number. */
    static final String OPEN_WRITERS = """
            SELECT DISTINCT virtualtransaction FROM pg_locks
             WHERE locktype = 'advisory' AND classid = ?::bigint::oid AND objsubid = 2 AND objid < 1000000
               AND mode = 'ShareLock' AND granted
               AND database = (SELECT oid FROM pg_database WHERE datname = current_database())""";

    static final String DESCRIBE_WRITERS = """
            SELECT string_agg(DISTINCT coalesce(nullif(a.application_name, ''), 'a program without a name')
                     || coalesce(' (process ' || k.pid || ', transaction open for '
                                 || date_trunc('second', clock_timestamp() - a.xact_start) || ')', ' (prepared)'), ', ')
              FROM pg_locks k LEFT JOIN pg_stat_activity a ON a.pid = k.pid
             WHERE k.locktype = 'advisory' AND k.classid = ?::bigint::oid AND k.objsubid = 2 AND k.objid < 1000000
               AND k.virtualtransaction = ANY (?)""";

    static final String FIRST_FROM = "SELECT min(position) FROM ${log} WHERE position >= ?";

    static final String LAST = "SELECT max(position) FROM ${log}";

    static final String NAMES = "SELECT name FROM ${schema}.log ORDER BY name";

    /** Two that create the same log at once: the second waits, and finds it. */
    static final String LOCK_REGISTRY = "LOCK TABLE ${schema}.log IN SHARE ROW EXCLUSIVE MODE";

    static final String OPTIONS_OF = "SELECT lanes, payload_limit FROM ${schema}.log WHERE name = ?";

    /** The first name that a log of that name would need, and that something else has already. */
    static final String TAKEN = """
            SELECT c.relname AS name FROM pg_class c
             WHERE c.relnamespace = '${schema}'::regnamespace
               AND c.relname IN (SELECT ? || suffix
                                   FROM unnest(ARRAY['', '_position', '_pkey', '_lane', '_version', '_id']) AS suffix)
             UNION ALL
            SELECT p.proname FROM pg_proc p
             WHERE p.pronamespace = '${schema}'::regnamespace AND p.proname = ? || '_append'
             ORDER BY name LIMIT 1""";

    static final String CREATE = "SELECT ${schema}.create_log(?, ?, make_interval(secs => ?::double precision))";

    static final String FOR_WORKERS_ONLY = "SELECT ${schema}.set_writers(?, 'worker')";

    static final String MAKE_OUTBOX = "SELECT ${schema}.make_outbox(?, ?)";

    static final String STATUS = """
            SELECT l.lanes, extract(epoch FROM l.retention)::float8 AS retention_seconds, l.created_at, l.payload_limit,
                   CASE WHEN s.n_live_tup > 0 THEN s.n_live_tup ELSE greatest(c.reltuples, 0)::bigint END AS rows,
                   pg_total_relation_size(c.oid) AS bytes, l.retained_above,
                   o.position AS first, o.recorded_at AS first_at, n.position AS last, n.recorded_at AS last_at
              FROM ${schema}.log l
              JOIN pg_class c ON c.oid = l.relation
              LEFT JOIN pg_stat_all_tables s ON s.relid = l.relation
              LEFT JOIN LATERAL (SELECT position, recorded_at FROM ${log} ORDER BY position LIMIT 1) o ON true
              LEFT JOIN LATERAL (SELECT position, recorded_at FROM ${log} ORDER BY position DESC LIMIT 1) n ON true
             WHERE l.name = ?""";

    static final String WRITERS = """
            SELECT array_agg(DISTINCT lane) AS lanes, pid, usename, application_name,
                   (extract(epoch FROM max(age)) * 1e6)::bigint AS age_micros
              FROM ${schema}.log_writers WHERE log = ?
             GROUP BY virtualtransaction, pid, usename, application_name
             ORDER BY max(age) DESC NULLS FIRST""";

    static final String SET_RETENTION =
            "UPDATE ${schema}.log SET retention = make_interval(secs => ?::double precision) WHERE name = ?";

    static final String RECORD = "INSERT INTO ${schema}.action (who, what, subject, detail) VALUES (?, ?, ?, ?)";

    static final String REDACT = "SELECT ${schema}.redact(?::bigint::oid::regclass, ?, ?, ?)";

    static final String WITH_RETENTION =
            "SELECT name FROM ${schema}.log WHERE retention IS NOT NULL AND name = ANY (?) ORDER BY name";

    static final String RETAIN = "SELECT ${schema}.retain_aged(?, ?)";

    private LogSql() {}

    static String page(boolean stream, boolean backwards, boolean types, boolean prefix) {
        String order = stream ? "version" : "position";
        return "SELECT " + MessageRow.COLUMNS + " FROM ${log} WHERE " + order + " BETWEEN ? AND ?"
                + (stream ? " AND key OPERATOR(pg_catalog.=) ?" : "")
                + (types ? " AND type = ANY (?)" : "")
                + (prefix ? " AND pg_catalog.starts_with(key, ?::pg_catalog.text)" : "")
                + " ORDER BY " + order + (backwards ? " DESC" : "") + " LIMIT ?";
    }
}
