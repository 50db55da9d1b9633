package org.pgbaton.operator;

/** The statements of operators. */
final class OperatorSql {
    static final String LIST = """
            SELECT name, target, live, log, ordering, state, note, lanes, lanes_owned, member_names, position, lag_positions,
                   coalesce(extract(epoch FROM lag), 0)::double precision AS lag, parked_keys, set_aside_keys, held_back_by,
                   epoch, created_at
              FROM ${schema}.subscription_status ORDER BY name, live DESC, target""";

    static final String FIND = """
            SELECT id, log, state, live, target FROM ${schema}.subscription
             WHERE name = ? AND (target = ? OR ? IS NULL AND live)""";

    /** So that two operators do not act on it at the same time, while members join and set keys aside. */
    static final String FIND_TO_CHANGE = FIND + " FOR NO KEY UPDATE";

    /** Against members that join, too. */
    static final String LOCK_TO_DELETE = "SELECT 1 FROM ${schema}.subscription WHERE id = ? FOR UPDATE";

    /** Retention must not remove what is about to be read again. */
    static final String PIN_LOG = "SELECT ${schema}.pin_log(?)";

    static final String SET_STATE = "UPDATE ${schema}.subscription SET state = ?, note = ? WHERE id = ?";

    static final String RECORD =
            "INSERT INTO ${schema}.action (who, what, subject, reason, detail) VALUES (?, ?, ?, ?, ?)";

    /** Wakes sleeping members, so that they see the change. */
    static final String RING = """
            SELECT pg_catalog.pg_notify(pg_catalog.concat('baton.', relation::pg_catalog.oid), '') FROM ${schema}.log
             WHERE name OPERATOR(pg_catalog.=) ? AND pg_catalog.pg_notification_queue_usage() OPERATOR(pg_catalog.<) 0.5::pg_catalog.float8""";

    /** Ascending, as every unit of work does it. */
    static final String LOCK_CHECKPOINTS =
            "SELECT id, lane, position FROM ${schema}.checkpoint WHERE subscription = ? ORDER BY id FOR UPDATE";

    /** The higher epoch fences the lane's owner, which takes the lane again and reads where it is to begin. */
    static final String REWIND = """
            UPDATE ${schema}.checkpoint SET position = least(position, ?), epoch = ${schema}.next_epoch(${schema}.timeline(), epoch)
             WHERE subscription = ?""";

    /** A rewind also says where the subscription begins, if it has not begun yet. */
    static final String NEXT_GENERATION = """
            UPDATE ${schema}.subscription
               SET generation = generation + 1, rewinds[(generation + 1)::integer] = ?, begun = true
             WHERE id = ?""";

    static final String FORGET_PARKED_MESSAGES = """
            DELETE FROM ${schema}.parked_message m USING ${schema}.parked p
             WHERE p.id = m.parked AND p.subscription = ? AND m.position > ?""";

    static final String FORGET_EMPTY_KEYS = """
            DELETE FROM ${schema}.parked p
             WHERE p.subscription = ? AND NOT EXISTS (SELECT FROM ${schema}.parked_message m WHERE m.parked = p.id)""";

    static final String ALIVE = """
            SELECT string_agg(m.who, ', ') FROM ${schema}.member m
              JOIN pg_locks k ON k.locktype = 'advisory' AND k.granted AND k.objsubid = 2
               AND k.database = (SELECT oid FROM pg_database WHERE datname = current_database())
               AND k.classid = '${schema}.member'::regclass AND k.objid = m.number::bigint::oid
             WHERE m.subscription = ?""";

    static final String DELETE_CHECKPOINTS = "DELETE FROM ${schema}.checkpoint WHERE subscription = ?";

    static final String DELETE = "DELETE FROM ${schema}.subscription WHERE id = ?";

    static final String PARKED = """
            SELECT s.name, s.target, p.key, p.state, p.attempts, p.error, p.since, p.next_attempt_at,
                   coalesce(m.head, 0), m.waiting
              FROM ${schema}.parked p
              JOIN ${schema}.subscription s ON s.id = p.subscription
              CROSS JOIN LATERAL (SELECT min(position) AS head, count(*) AS waiting
                                    FROM ${schema}.parked_message WHERE parked = p.id) m
             WHERE (? IS NULL OR s.name = ?) AND (? IS NULL OR p.key = ?)
             ORDER BY s.name, s.target, p.since, p.id LIMIT ?""";

    static final String RETRY = """
            UPDATE ${schema}.parked SET state = 'retrying', attempts = 0, next_attempt_at = clock_timestamp()
             WHERE subscription = ? AND (? IS NULL OR key = ?) AND (? IS NULL OR strpos(error, ?) > 0) AND state <> 'slow'""";

    /** Only a message that the checkpoint has passed: another one would be read from the log, and set aside again. */
    static final String SKIP = """
            DELETE FROM ${schema}.parked_message m USING ${schema}.parked p
             WHERE p.id = m.parked AND p.subscription = ? AND p.key = ? AND m.position = ?
               AND m.position <= (SELECT c.position FROM ${schema}.checkpoint c WHERE c.id = p.checkpoint)
               AND NOT EXISTS (SELECT FROM ${schema}.parked_message e WHERE e.parked = p.id AND e.position < m.position)""";

    /** Whether that is what hinders a skip. */
    static final String IS_NOT_PASSED = """
            SELECT count(*) FROM ${schema}.parked_message m JOIN ${schema}.parked p ON p.id = m.parked
              JOIN ${schema}.checkpoint c ON c.id = p.checkpoint
             WHERE p.subscription = ? AND p.key = ? AND m.position = ? AND m.position > c.position""";

    static final String MESSAGES = """
            SELECT %s FROM %s
             WHERE position = ANY (ARRAY(
               SELECT m.position FROM ${schema}.parked_message m JOIN ${schema}.parked p ON p.id = m.parked
                WHERE p.subscription = ? AND p.key = ? AND m.position > ? ORDER BY m.position LIMIT ?))
             ORDER BY position""";

    static final String ROW_LANE = "SELECT lane FROM %s WHERE position = ?";

    /** A message is processed when its lane has passed it, and it does not wait with a parked key. */
    static final String PROCESSED = """
            SELECT count(*) = 0 AND NOT EXISTS (
                     SELECT FROM ${schema}.parked_message m JOIN ${schema}.parked p ON p.id = m.parked
                      WHERE p.subscription = ? AND m.position = ?)
              FROM ${schema}.checkpoint
             WHERE subscription = ? AND position < ?
               AND (lane < 0 OR ? < 0 OR lane = ? % (SELECT count(*) FROM ${schema}.checkpoint WHERE subscription = ?))""";

    /** Lane by lane; if the two have different numbers of checkpoints, the slowest of the one against the furthest of the other. */
    static final String BEHIND_LIVE = """
            SELECT coalesce(max(old.position - beside.position), 0)
              FROM ${schema}.checkpoint old JOIN ${schema}.checkpoint beside
                ON beside.lane = old.lane
                   OR (SELECT count(*) FROM ${schema}.checkpoint c WHERE c.subscription = old.subscription)
                      <> (SELECT count(*) FROM ${schema}.checkpoint c WHERE c.subscription = beside.subscription)
                   OR (beside.lane < 0) <> (old.lane < 0)
             WHERE old.subscription = ? AND beside.subscription = ?""";

    static final String COUNT_ASIDE = "SELECT count(*) FROM ${schema}.parked WHERE subscription = ?";

    static final String COUNT_PARKED =
            "SELECT count(*) FROM ${schema}.parked WHERE subscription = ? AND state = 'parked'";

    static final String RETIRE =
            "UPDATE ${schema}.subscription SET live = false, state = 'retired', note = ? WHERE id = ?";

    /** For good: {@code take_lane} gives nobody a lane whose history has ended. */
    static final String FENCE =
            "UPDATE ${schema}.checkpoint SET epoch = ${schema}.next_epoch(${schema}.timeline(), epoch), timeline = 'retired' WHERE subscription = ?";

    static final String MAKE_LIVE = "UPDATE ${schema}.subscription SET live = true WHERE id = ?";

    static final String ACTIONS = """
            SELECT at, who, what, subject, reason, detail, by_user FROM ${schema}.action ORDER BY id DESC LIMIT ?""";

    private OperatorSql() {}
}
