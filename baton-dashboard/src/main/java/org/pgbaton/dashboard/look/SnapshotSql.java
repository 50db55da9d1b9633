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

    static final String LANES = """
            SELECT subscription, lane, position, epoch, owner, owned_since, advanced_at, waiting_since, held_back_by, locked_by
              FROM ${schema}.lane_status ORDER BY subscription, lane""";

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
