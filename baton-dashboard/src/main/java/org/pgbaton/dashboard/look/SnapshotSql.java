package org.pgbaton.dashboard.look;

/** The statements of a look. */
final class SnapshotSql {
    static final String NOW = "SELECT clock_timestamp() AS now";

    static final String ENDS = "SELECT name, coalesce(pg_sequence_last_value(sequence), 0) AS last FROM ${schema}.log";

    static final String SUBSCRIPTIONS = """
            SELECT s.id, s.name, s.target, s.live, s.log, s.ordering, s.state, s.note, s.publishes_to, s.created_at,
                   coalesce(p.parked, 0) AS parked, coalesce(p.aside, 0) AS aside, coalesce(p.waiting, 0) AS waiting
              FROM ${schema}.subscription s
              LEFT JOIN (SELECT k.subscription, count(*) FILTER (WHERE k.state = 'parked') AS parked,
                                count(*) FILTER (WHERE k.state <> 'parked') AS aside, sum(m.waiting) AS waiting
                           FROM ${schema}.parked k
                           LEFT JOIN (SELECT parked, count(*) AS waiting FROM ${schema}.parked_message GROUP BY parked) m
                             ON m.parked = k.id
                          GROUP BY k.subscription) p ON p.subscription = s.id
             ORDER BY s.name, s.live DESC, s.target""";

    static final String MEMBERS = """
            SELECT m.subscription, m.who, m.joined_at
              FROM ${schema}.member m
              JOIN pg_locks k ON k.locktype = 'advisory' AND k.granted AND k.objsubid = 2
               AND k.database = (SELECT oid FROM pg_database WHERE datname = current_database())
               AND k.classid = '${schema}.member'::regclass AND k.objid = m.number::bigint::oid
             ORDER BY m.number""";

    /**
     * What the view {@code lane_status} says, read for all lanes at once: the view asks for locks and sessions lane by lane, which takes seconds
     * with thousands of them.
     */
    static final String LANES = """
            WITH locks AS MATERIALIZED (
              SELECT classid, objid, pid, mode FROM pg_locks
               WHERE locktype = 'advisory' AND granted AND objsubid = 2
                 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            ), sessions AS MATERIALIZED (
              SELECT pid, application_name, backend_start, xact_start FROM pg_stat_activity
            ), groups AS (
              SELECT subscription, count(*)::integer AS groups FROM ${schema}.checkpoint GROUP BY subscription
            ), held AS MATERIALIZED (
              SELECT DISTINCT c.id
                FROM ${schema}.checkpoint c
                JOIN locks k ON k.classid = '${schema}.checkpoint'::regclass AND k.objid = c.id::bigint::oid
                LEFT JOIN sessions a ON a.pid = k.pid
               WHERE c.owner_pid IS NULL OR k.pid = c.owner_pid AND (a.backend_start IS NULL OR a.backend_start <= c.owned_since)
            ), writers AS MATERIALIZED (
              SELECT l.name AS log, k.objid::bigint::integer AS lane,
                     coalesce(nullif(a.application_name, ''), 'a transaction') || ' (process '
                       || coalesce(k.pid::text, 'none: prepared') || ', open for '
                       || coalesce(date_trunc('second', clock_timestamp() - a.xact_start)::text, 'an unknown time') || ')' AS holder
                FROM locks k
                JOIN ${schema}.log l ON l.relation::oid = k.classid
                LEFT JOIN sessions a ON a.pid = k.pid
               WHERE k.mode = 'ShareLock' AND k.objid < 1000000
            ), strangers AS MATERIALIZED (
              SELECT checkpoint, string_agg(DISTINCT holder, '; ') AS holder
                FROM ${schema}.foreign_lock WHERE checkpoint IS NOT NULL GROUP BY checkpoint
            ), ends AS MATERIALIZED (
              SELECT name, relation, lanes, coalesce(pg_sequence_last_value(sequence), 0) AS last FROM ${schema}.log
            )
            SELECT c.subscription, c.lane, c.position, c.epoch,
                   CASE WHEN h.id IS NOT NULL THEN c.owner END AS owner,
                   CASE WHEN h.id IS NOT NULL THEN c.owned_since END AS owned_since,
                   c.advanced_at,
                   CASE WHEN c.position < e.last THEN (
                     SELECT min(${schema}.waiting_since(e.relation, n, c.position))
                       FROM generate_series(c.lane, CASE WHEN c.lane < 0 THEN c.lane ELSE e.lanes - 1 END, g.groups) AS n) END AS waiting_since,
                   (SELECT string_agg(DISTINCT w.holder, ', ') FROM writers w
                     WHERE w.log = s.log AND (w.lane % g.groups = c.lane OR c.lane < 0)) AS held_back_by,
                   f.holder AS locked_by
              FROM ${schema}.checkpoint c
              JOIN ${schema}.subscription s ON s.id = c.subscription
              JOIN groups g ON g.subscription = c.subscription
              JOIN ends e ON e.name = s.log
              LEFT JOIN held h ON h.id = c.id
              LEFT JOIN strangers f ON f.checkpoint = c.id
             ORDER BY c.subscription, c.lane""";

    static final String LEADERS = """
            SELECT name, holder, epoch, since, standby_names, previous_holder, taken_over_at,
                   (extract(epoch FROM vacant_for) * 1000000)::bigint AS vacant_micros, changes, key
              FROM ${schema}.leader_status ORDER BY name""";

    static final String CAPTURES = """
            SELECT name, state, log, tables, operations, publication, own_publication, slot, owner AS reader,
                   epoch, changes, changed_at, wal_status, safe_wal_size, retained_bytes, behind_bytes, problem, problem_since,
                   warning, gaps, created_at
              FROM ${schema}.capture_status ORDER BY name""";

    static final String SCHEDULES = """
            SELECT name, cron, zone, missed, next_due, holder, run_due, run_started, run_ended, run_outcome, run_error, run_by
              FROM ${schema}.schedule_status ORDER BY name""";

    private SnapshotSql() {}
}
