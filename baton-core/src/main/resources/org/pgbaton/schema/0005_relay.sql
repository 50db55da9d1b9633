-- Relays that publish in transactions of their target: lanes are owned in groups, and what is passed over is recorded beforehand.
-- compatible-from: 1

-- Sets keys aside and records messages of theirs, before they are passed over in a transaction of the target; so perhaps more than
-- once. After fence_work, under the checkpoint's lock. Returns how many of the messages belong to keys that are set aside.
CREATE FUNCTION ${schema}.set_aside(subscription_id integer, log_name text, checkpoint_id integer, keys text[], states text[],
  failures text[], waits_ms bigint[], passed_keys text[], positions bigint[]) RETURNS bigint
LANGUAGE plpgsql AS $function$
BEGIN
  INSERT INTO ${schema}.parked (subscription, checkpoint, key, state, attempts, error, next_attempt_at)
  SELECT subscription_id, checkpoint_id, p.key, p.state, CASE WHEN p.state = 'slow' THEN 0 ELSE 1 END, p.failure,
         clock_timestamp() + p.wait_ms * interval '1 ms'
    FROM unnest(keys, states, failures, waits_ms) AS p (key, state, failure, wait_ms)
  ON CONFLICT DO NOTHING;
  INSERT INTO ${schema}.parked_message (parked, position, log)
  SELECT p.id, m.position, log_name
    FROM unnest(passed_keys, positions) AS m (key, position)
    JOIN ${schema}.parked p ON p.subscription = subscription_id AND p.key = m.key
  ON CONFLICT DO NOTHING;
  RETURN (SELECT count(*)
            FROM unnest(passed_keys) AS m (key)
            JOIN ${schema}.parked p ON p.subscription = subscription_id AND p.key = m.key);
END
$function$;

-- A subscription has a checkpoint for each lane, or for each group of lanes: then a lane belongs to the one with the number of the
-- lane modulo the number of groups.
CREATE OR REPLACE VIEW ${schema}.lane_status AS
WITH locks AS (
  SELECT classid, objid, pid
    FROM pg_locks
   WHERE locktype = 'advisory' AND granted AND objsubid = 2
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
), groups AS (
  SELECT subscription, count(*)::integer AS groups FROM ${schema}.checkpoint GROUP BY subscription
)
SELECT s.name, s.target, s.log, c.lane, c.position, c.epoch,
       CASE WHEN k.pid IS NOT NULL THEN c.owner END AS owner,
       CASE WHEN k.pid IS NOT NULL THEN c.owned_since END AS owned_since,
       c.advanced_at,
       (SELECT min(${schema}.waiting_since(l.relation, n, c.position))
          FROM generate_series(c.lane, CASE WHEN c.lane < 0 THEN c.lane ELSE l.lanes - 1 END, g.groups) AS n) AS waiting_since,
       (SELECT string_agg(DISTINCT coalesce(nullif(w.application_name, ''), 'a transaction') || ' (process '
                          || coalesce(w.pid::text, 'none: prepared') || ', open for '
                          || coalesce(date_trunc('second', w.age)::text, 'an unknown time') || ')', ', ')
          FROM ${schema}.log_writers w
         WHERE w.log = s.log AND (w.lane % g.groups = c.lane OR c.lane < 0)) AS held_back_by,
       c.subscription, c.id AS checkpoint
  FROM ${schema}.checkpoint c
  JOIN ${schema}.subscription s ON s.id = c.subscription
  JOIN groups g ON g.subscription = c.subscription
  JOIN ${schema}.log l ON l.name = s.log
  LEFT JOIN locks k ON k.classid = '${schema}.checkpoint'::regclass AND k.objid = c.id::bigint::oid;
