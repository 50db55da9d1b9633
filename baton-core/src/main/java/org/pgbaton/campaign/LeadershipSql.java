package org.pgbaton.campaign;

/** The statements about leaderships. The functions are in {@code routines/leadership.sql}. */
final class LeadershipSql {
    /** Writes nothing when the name or the key is there already. */
    static final String REGISTER = """
            WITH registered AS (
              INSERT INTO ${schema}.leadership (name, key) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING id)
            SELECT count(*) FROM registered""";

    static final String FIND = "SELECT id, name, key FROM ${schema}.leadership WHERE name = ? OR key = ?";

    /** Shows this session as a candidate, for as long as it lives. False if the row has been deleted. */
    static final String ENROL = "SELECT ${schema}.enrol(?)";

    static final String DELETE = "SELECT ${schema}.delete_leadership(?)";

    static final String RECORD_DELETION =
            "INSERT INTO ${schema}.action (who, what, subject, reason) VALUES (?, 'delete leadership', ?, ?)";

    static final String HOLDER = """
            SELECT holder, CASE WHEN since IS NULL THEN 0 ELSE epoch END, since
              FROM ${schema}.leader_status WHERE name = ? AND holder IS NOT NULL""";

    static final String TAKE_EPOCH =
            "SELECT epoch, since, (extract(epoch FROM vacant_for) * 1e6)::bigint FROM ${schema}.take_epoch(?, ?, ?)";

    /** Prepared transactions have no backend. */
    static final String GUARDED_BY = """
            SELECT coalesce(string_agg(coalesce('backend ' || pid, 'a prepared transaction'), ', '), 'somebody')
              FROM pg_locks
             WHERE locktype = 'advisory' AND granted AND mode = 'ShareLock' AND objsubid = 2
               AND classid = '${schema}.leadership'::regclass AND objid::bigint = 4294967296 - ?""";

    /** A row if it is too soon. */
    static final String NEXT_RUN = "SELECT began, by_whom, ended_well, next, wait_ms FROM ${schema}.next_run(?, ?)";

    static final String BEGIN_RUN = "SELECT ${schema}.begin_run(?, ?, ?)";

    static final String FINISH_RUN = "SELECT ${schema}.finish_run(?, ?, ?)";

    static final String RELEASE_EPOCH = "SELECT ${schema}.release_epoch(?, ?)";

    /** At once: the end of a session frees them too, but only when the server has come to it. */
    static final String FREE_LOCKS = "SELECT pg_catalog.pg_advisory_unlock_all()";

    /** The sign of life also asks whether the session and the epoch are still the ones we know. */
    static final String HEARTBEAT = "SELECT pg_backend_pid(), epoch FROM ${schema}.leadership WHERE id = ?";

    static final String GUARD = "SELECT ${schema}.guard(?, ?, pg_catalog.make_interval(secs => ?))";

    static final String STATUS = """
            SELECT name, state, holder, epoch, since, backend_pid, standbys, standby_names, previous_holder,
                   taken_over_at, (extract(epoch FROM vacant_for) * 1e6)::bigint AS vacant_micros, changes, key
              FROM ${schema}.leader_status ORDER BY name""";

    private LeadershipSql() {}
}
