-- Subscriptions: the look, joining, taking lanes, units of work, and their views.

-- One look at everything that a reader needs, in the only order that is safe: first, if the reader wants to sleep, the
-- doorbells; then the end of each log; then, in a later statement, who is writing, who is alive and which lanes are
-- owned. See docs/frontier.md.
CREATE OR REPLACE FUNCTION ${schema}.look(logs oid[], sequences oid[], ring oid[],
  OUT bells boolean[], OUT ends bigint[], OUT actions bigint, OUT here text,
  OUT writer_logs bigint[], OUT writer_lanes integer[], OUT writers text[],
  OUT members integer[], OUT lanes integer[])
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  member_class     oid := '${schema}.member'::regclass;
  checkpoint_class oid := '${schema}.checkpoint'::regclass;
BEGIN
  here := ${schema}.timeline();
  FOR i IN 1 .. cardinality(ring) LOOP
    bells[i] := pg_try_advisory_lock(ring[i]::integer, -1);
  END LOOP;
  FOR i IN 1 .. cardinality(logs) LOOP
    ends[i] := coalesce(pg_sequence_last_value(sequences[i]), 0);
  END LOOP;
  -- This value changes when an action is committed, in whatever order. The sequence would be ahead of the rows that can
  -- be read.
  SELECT coalesce(sum(a.id), 0) INTO actions FROM (SELECT id FROM ${schema}.action ORDER BY id DESC LIMIT 20) a;
  SELECT array_agg(l.classid::bigint) FILTER (WHERE l.writer),
         array_agg(l.objid::bigint::integer) FILTER (WHERE l.writer),
         array_agg(l.virtualtransaction) FILTER (WHERE l.writer),
         array_agg(l.objid::bigint::integer) FILTER (WHERE l.classid = member_class),
         array_agg(l.objid::bigint::integer) FILTER (WHERE l.classid = checkpoint_class)
    INTO writer_logs, writer_lanes, writers, members, lanes
    FROM (SELECT classid, objid, virtualtransaction,
                 mode = 'ShareLock' AND objid < 1000000 AND classid = ANY (logs) AS writer
            FROM pg_locks
           WHERE locktype = 'advisory' AND objsubid = 2 AND granted
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) l;
END
$function$;

-- Joins a subscription: draws a number, takes its lock in this session, and writes its row. Members join one at a time,
-- so that of two that want to be alone exactly one finds the other. Rows of dead members are removed as well. Returns 0
-- if there is another member and the caller wants to be alone, and -1 if the subscription does not exist any more.
CREATE OR REPLACE FUNCTION ${schema}.join_subscription(subscription_id integer, my_name text, alone boolean) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  class     integer := ${schema}.lock_class('${schema}.member'::regclass);
  my_number integer;
  others    integer;
BEGIN
  PERFORM pg_advisory_xact_lock(${schema}.lock_class('${schema}.subscription'::regclass), subscription_id);
  -- A member that is visible here had its lock before. Its liveness is not tested by trying the lock, because a session
  -- can always take a lock again that it holds itself.
  DELETE FROM ${schema}.member m
   WHERE m.subscription = subscription_id
     AND NOT EXISTS (SELECT FROM pg_locks k
                      WHERE k.locktype = 'advisory' AND k.objsubid = 2 AND k.granted
                        AND k.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                        AND k.classid = '${schema}.member'::regclass AND k.objid = m.number::bigint::oid);
  SELECT count(*) INTO others FROM ${schema}.member m WHERE m.subscription = subscription_id;
  IF alone AND others > 0 THEN
    RETURN 0;
  END IF;
  INSERT INTO ${schema}.member (subscription, who, pid)
    SELECT s.id, my_name, pg_backend_pid() FROM ${schema}.subscription s WHERE s.id = subscription_id FOR KEY SHARE
    RETURNING number INTO my_number;
  IF my_number IS NULL THEN
    RETURN -1;
  END IF;
  PERFORM pg_advisory_lock(class, my_number);
  RETURN my_number;
END
$function$;

-- Removes a member that leaves in good order: its row and its lock.
CREATE OR REPLACE FUNCTION ${schema}.leave_subscription(my_number integer) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  DELETE FROM ${schema}.member WHERE number = my_number;
  PERFORM pg_advisory_unlock(${schema}.lock_class('${schema}.member'::regclass), my_number);
END
$function$;

-- Makes the caller the owner of a lane. The caller holds the lane's lock, and calls this in a statement (so a
-- transaction) of its own. If it returns no row, a work transaction of the former owner still holds the row: call
-- again. So it reads what that transaction committed. A lane that was fenced for good is given to nobody. The lane's
-- own row says so, because this function may wait for the transaction that fences the lane, and after a wait PostgreSQL
-- reads only the row again that it waited for.
CREATE OR REPLACE FUNCTION ${schema}.take_lane(checkpoint_id integer, new_owner text, slice_ms integer)
RETURNS TABLE (epoch bigint, reached bigint, timeline text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
#variable_conflict use_column
DECLARE
  here text := ${schema}.timeline();
BEGIN
  PERFORM set_config('lock_timeout', ${schema}.slice(slice_ms) || 'ms', true);
  RETURN QUERY
    UPDATE ${schema}.checkpoint c
       SET epoch = ${schema}.next_epoch(here, c.epoch), timeline = here,
           owner = new_owner, owner_pid = pg_backend_pid(), owned_since = clock_timestamp()
     WHERE c.id = checkpoint_id AND c.timeline <> 'retired'
    RETURNING c.epoch, c.position, c.timeline;
  IF NOT FOUND THEN
    RETURN QUERY SELECT -1::bigint, 0::bigint, here;  -- deleted, or retired
  END IF;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
  RETURN;
END
$function$;

-- The first statement of every unit of work. It sets a time-out, so that an owner that freezes with its transaction
-- open does not hold its rows for ever. It also marks the transaction, so that close_work can check that the handler's
-- work is still in it.
CREATE OR REPLACE FUNCTION ${schema}.begin_work(limit_ms integer, token text, OUT isolation text, OUT here text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  PERFORM set_config('idle_in_transaction_session_timeout', limit_ms::text, true);
  PERFORM set_config('baton.work', token, true);
  isolation := current_setting('transaction_isolation');
  here := ${schema}.timeline();
END
$function$;

-- The same for a transaction that stays open while code outside the server is at work, such as a handler. Until it
-- ends, the transaction shows itself to the next owner of its lanes by shared locks (parked, checkpoint); see end_work.
-- It takes the locks first and compares the epochs in a later statement: an epoch that was changed before is seen here,
-- and an owner that changes one later finds the locks. It never waits for a lock; only a stranger can hold one
-- exclusively.
CREATE OR REPLACE FUNCTION ${schema}.begin_work(limit_ms integer, token text, checkpoints integer[], epochs bigint[],
  OUT isolation text, OUT here text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  class  integer := ${schema}.lock_class('${schema}.parked'::regclass);
  stale  integer;
BEGIN
  PERFORM pg_try_advisory_xact_lock_shared(class, n) FROM unnest(checkpoints) AS n;
  SELECT w.checkpoint INTO stale
    FROM unnest(checkpoints, epochs) AS w (checkpoint, epoch) LEFT JOIN ${schema}.checkpoint c ON c.id = w.checkpoint
   WHERE c.epoch IS DISTINCT FROM w.epoch LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'YB001', MESSAGE = format('another epoch of checkpoint %s has begun', stale);
  END IF;
  PERFORM set_config('idle_in_transaction_session_timeout', limit_ms::text, true), set_config('baton.work', token, true);
  isolation := current_setting('transaction_isolation');
  here := ${schema}.timeline();
END
$function$;

-- Ends transactions of former owners of lanes. They could not commit any more, but would keep the rows that they wrote
-- locked: a frozen process leaves them open for as long as its handler may take. The caller holds the lanes' locks and
-- has begun no work for them under its own epoch yet, so every transaction that shows itself belongs to an older epoch.
-- Later calls give the process numbers that were found then. Ends only sessions of the caller's own role; a session
-- that runs a statement, perhaps its COMMIT, only if the caller says that it is in a hurry.
CREATE OR REPLACE FUNCTION ${schema}.end_work(checkpoints integer[], only_these integer[], hurry boolean)
RETURNS TABLE (process integer, ended boolean, refused boolean, who text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  one record;
BEGIN
  FOR one IN
    SELECT DISTINCT k.pid, coalesce(a.usesysid = (SELECT r.oid FROM pg_roles r WHERE r.rolname = current_user), false) AS ours,
           a.state, a.usename, a.application_name
      FROM pg_locks k LEFT JOIN pg_stat_activity a ON a.pid = k.pid
     WHERE k.locktype = 'advisory' AND k.objsubid = 2 AND k.granted AND k.mode = 'ShareLock'
       AND k.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
       AND k.classid = '${schema}.parked'::regclass
       AND k.objid = ANY (ARRAY(SELECT n::bigint::oid FROM unnest(checkpoints) AS n))
       AND (only_these IS NULL OR k.pid = ANY (only_these)) AND k.pid IS DISTINCT FROM pg_backend_pid()
  LOOP
    process := coalesce(one.pid, 0);
    refused := NOT one.ours;
    who := CASE WHEN one.pid IS NULL THEN 'a prepared transaction'
                ELSE format('process %s of user %s (%s)', one.pid, one.usename, coalesce(nullif(one.application_name, ''), 'without a name')) END;
    ended := one.ours AND (hurry OR one.state LIKE 'idle in transaction%') AND pg_terminate_backend(one.pid);
    RETURN NEXT;
  END LOOP;
END
$function$;

-- The first statement of every transaction that only reads messages. It makes the planner read rows in order along an
-- index. Without statistics, as after a log was filled for the first time, the planner would otherwise sort the whole
-- backlog for every batch.
CREATE OR REPLACE FUNCTION ${schema}.begin_read(OUT here text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  PERFORM set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('jit', 'off', true);
  here := ${schema}.timeline();
END
$function$;

-- The last statement of every unit of work, in the same transaction: moves the checkpoints, in ascending order of their
-- rows, if they are still what the owner believes. Otherwise it raises, and everything the handler wrote is rolled back
-- with it. From here on the transaction may be idle for the lease only. A position that the log has not given out comes
-- from a history that was lost in a crash or a failover.
CREATE OR REPLACE FUNCTION ${schema}.close_work(token text, lease_ms integer, here text, sequence oid,
  checkpoints integer[], epochs bigint[], olds bigint[], news bigint[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  i integer;
BEGIN
  IF current_setting('baton.work', true) IS DISTINCT FROM token THEN
    RAISE EXCEPTION USING ERRCODE = 'YB003',
      MESSAGE = 'the handler ended the transaction it was given',
      HINT = 'A handler neither commits nor rolls back: its writes and the checkpoint commit together.';
  END IF;
  PERFORM set_config('idle_in_transaction_session_timeout', lease_ms::text, true);
  FOR i IN SELECT n FROM generate_subscripts(checkpoints, 1) n ORDER BY checkpoints[n] LOOP
    UPDATE ${schema}.checkpoint c
       SET position = news[i],
           advanced_at = CASE WHEN news[i] > olds[i] THEN clock_timestamp() ELSE c.advanced_at END
     WHERE c.id = checkpoints[i] AND c.epoch = epochs[i] AND c.position = olds[i];
    IF NOT FOUND THEN
      RAISE EXCEPTION USING ERRCODE = 'YB001',
        MESSAGE = format('epoch %s of checkpoint %s is over, or it is not at position %s any more',
                         epochs[i], checkpoints[i], olds[i]);
    END IF;
  END LOOP;
  IF here <> ${schema}.timeline()
      OR EXISTS (SELECT FROM unnest(news) AS n WHERE n > coalesce(pg_sequence_last_value(sequence), 0)) THEN
    RAISE EXCEPTION USING ERRCODE = 'YB001', MESSAGE = 'the database has been promoted or restored since';
  END IF;
END
$function$;

-- The last statement of a unit of work that handles messages of a parked key. The lane must still be the owner's. Its
-- checkpoint does not move; batches move it. Locks the checkpoint's row, as every transaction does that passes over a
-- message.
CREATE OR REPLACE FUNCTION ${schema}.fence_work(token text, lease_ms integer, here text, checkpoint_id integer, my_epoch bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  IF current_setting('baton.work', true) IS DISTINCT FROM token THEN
    RAISE EXCEPTION USING ERRCODE = 'YB003',
      MESSAGE = 'the handler ended the transaction it was given',
      HINT = 'A handler neither commits nor rolls back: its writes and the checkpoint commit together.';
  END IF;
  PERFORM set_config('idle_in_transaction_session_timeout', lease_ms::text, true);
  PERFORM FROM ${schema}.checkpoint c WHERE c.id = checkpoint_id AND c.epoch = my_epoch FOR NO KEY UPDATE;
  IF NOT FOUND OR here <> ${schema}.timeline() THEN
    RAISE EXCEPTION USING ERRCODE = 'YB001', MESSAGE = format('epoch %s of checkpoint %s is over', my_epoch, checkpoint_id);
  END IF;
END
$function$;

-- Sets keys aside. Called after close_work, so under the checkpoint's lock.
CREATE OR REPLACE FUNCTION ${schema}.park(subscription_id integer, checkpoints integer[], keys text[], states text[], failures text[],
  waits_ms bigint[]) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $function$
  INSERT INTO ${schema}.parked (subscription, checkpoint, key, state, attempts, error, next_attempt_at)
  SELECT subscription_id, p.checkpoint, p.key, p.state, CASE WHEN p.state = 'slow' THEN 0 ELSE 1 END, p.failure,
         clock_timestamp() + p.wait_ms * interval '1 ms'
    FROM unnest(checkpoints, keys, states, failures, waits_ms) AS p (checkpoint, key, state, failure, wait_ms)
$function$;

-- Records messages of keys that are set aside. Called after close_work. Returns how many it could record. If that is
-- fewer than given, a key has been drained meanwhile, and the batch must be read anew.
CREATE OR REPLACE FUNCTION ${schema}.pass_over(subscription_id integer, log_name text, keys text[], positions bigint[]) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  n integer;
BEGIN
  INSERT INTO ${schema}.parked_message (parked, position, log)
  SELECT p.id, m.position, log_name
    FROM unnest(keys, positions) AS m (key, position)
    JOIN ${schema}.parked p ON p.subscription = subscription_id AND p.key = m.key;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END
$function$;

-- When the oldest row that a lane has not handled was recorded; null if there is none.
CREATE OR REPLACE FUNCTION ${schema}.waiting_since(log_relation regclass, for_lane integer, above bigint) RETURNS timestamptz
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  since timestamptz;
BEGIN
  IF for_lane < 0 THEN
    EXECUTE format('SELECT recorded_at FROM %s WHERE position > $1 ORDER BY position LIMIT 1', log_relation)
      INTO since USING above;
  ELSE
    -- Written so that only the index (lane, position) gives this order. With lane = $1 the planner may go along the positions, and
    -- through the whole backlog if nothing in it is of this lane.
    EXECUTE format('SELECT recorded_at FROM %s WHERE (lane, position) > ($1, $2) AND lane <= $1 ORDER BY lane, position LIMIT 1', log_relation)
      INTO since USING for_lane, above;
  END IF;
  RETURN since;
END
$function$;

-- Baton's locks that are held by sessions which Baton did not give them to. Somebody else took them, by accident or on
-- purpose; every user who may connect can. An exclusive lock on a lane of a log makes its writers wait, a lock on a
-- checkpoint keeps the lane from being owned, and a lock on a member makes it look alive.
CREATE OR REPLACE VIEW ${schema}.foreign_lock AS
WITH locks AS MATERIALIZED (
  SELECT classid, objid, mode, pid
    FROM pg_locks
   WHERE locktype = 'advisory' AND granted AND objsubid = 2
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
), foreigners AS (
  SELECT 'log ' || l.name || ', lane ' || k.objid::bigint AS what, NULL::integer AS subscription, NULL::integer AS checkpoint, k.pid, k.mode
    FROM locks k JOIN ${schema}.log l ON l.relation::oid = k.classid
   WHERE k.mode = 'ExclusiveLock' AND k.objid < 1000000
  UNION ALL
  SELECT 'subscription ' || s.name || CASE WHEN s.target = '' THEN '' ELSE ', target ' || s.target END
           || CASE WHEN c.lane < 0 THEN '' ELSE ', lane ' || c.lane END, s.id, c.id, k.pid, k.mode
    FROM locks k
    JOIN ${schema}.checkpoint c ON k.classid = '${schema}.checkpoint'::regclass AND k.objid = c.id::bigint::oid
    JOIN ${schema}.subscription s ON s.id = c.subscription
    LEFT JOIN pg_stat_activity a ON a.pid = k.pid
   -- A process id can be used again. A session that has just locked a lane is about to become its owner.
   WHERE CASE WHEN c.owner_pid IS NULL THEN c.owner IS NULL ELSE k.pid IS DISTINCT FROM c.owner_pid OR a.backend_start > c.owned_since END
     AND NOT EXISTS (SELECT FROM ${schema}.member m JOIN locks o ON o.pid = m.pid
                      WHERE m.subscription = s.id AND m.pid = k.pid AND o.classid = '${schema}.member'::regclass
                        AND o.objid = m.number::bigint::oid)
  UNION ALL
  SELECT 'member ' || m.who || ' of subscription ' || s.name, s.id, NULL, k.pid, k.mode
    FROM locks k
    JOIN ${schema}.member m ON k.classid = '${schema}.member'::regclass AND k.objid = m.number::bigint::oid
    JOIN ${schema}.subscription s ON s.id = m.subscription
   WHERE k.pid IS DISTINCT FROM m.pid AND m.pid IS NOT NULL
)
SELECT f.what, f.pid, a.usename::text AS user_name, a.application_name, a.client_addr, f.mode, a.state, a.backend_start,
       'process ' || coalesce(f.pid::text, 'none: prepared') || coalesce(', user ' || a.usename, '')
         || coalesce(', ' || nullif(a.application_name, ''), '') AS holder,
       f.subscription, f.checkpoint
  FROM foreigners f LEFT JOIN pg_stat_activity a ON a.pid = f.pid;

COMMENT ON VIEW ${schema}.foreign_lock IS 'Baton: locks of ours that somebody else holds, and who.';

-- A subscription has a checkpoint for each lane, or for each group of lanes; then a lane belongs to the group with the
-- number of the lane modulo the number of groups. The owner is the session that holds the lane's lock and took the lane
-- with it, and no other. Locks and sessions are read once for all lanes: once for each lane would cost the square of their number.
CREATE OR REPLACE VIEW ${schema}.lane_status AS
WITH locks AS MATERIALIZED (
  SELECT classid, objid, pid, mode
    FROM pg_locks
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
), foreigners AS MATERIALIZED (
  SELECT checkpoint, string_agg(DISTINCT holder, '; ') AS holder FROM ${schema}.foreign_lock WHERE checkpoint IS NOT NULL GROUP BY checkpoint
), logs AS MATERIALIZED (
  -- Whoever may not read the end of a log, or finds none, looks into the log itself.
  SELECT name, relation, lanes, coalesce(CASE WHEN has_sequence_privilege(sequence, 'USAGE, SELECT') THEN pg_sequence_last_value(sequence) END,
                                         9223372036854775807) AS last
    FROM ${schema}.log
)
SELECT s.name, s.target, s.log, c.lane, c.position, c.epoch,
       CASE WHEN h.id IS NOT NULL THEN c.owner END AS owner,
       CASE WHEN h.id IS NOT NULL THEN c.owned_since END AS owned_since,
       c.advanced_at,
       CASE WHEN c.position < l.last THEN (
         SELECT min(${schema}.waiting_since(l.relation, n, c.position))
           FROM generate_series(c.lane, CASE WHEN c.lane < 0 THEN c.lane ELSE l.lanes - 1 END, g.groups) AS n) END AS waiting_since,
       (SELECT string_agg(DISTINCT w.holder, ', ') FROM writers w
         WHERE w.log = s.log AND (w.lane % g.groups = c.lane OR c.lane < 0)) AS held_back_by,
       c.subscription, c.id AS checkpoint,
       f.holder AS locked_by
  FROM ${schema}.checkpoint c
  JOIN ${schema}.subscription s ON s.id = c.subscription
  JOIN groups g ON g.subscription = c.subscription
  JOIN logs l ON l.name = s.log
  LEFT JOIN held h ON h.id = c.id
  LEFT JOIN foreigners f ON f.checkpoint = c.id;

COMMENT ON VIEW ${schema}.lane_status IS 'Baton: who owns each lane of each subscription, how far it is, what it waits for.';

CREATE OR REPLACE VIEW ${schema}.subscription_status AS
WITH lanes AS (
  SELECT subscription, count(*)::integer AS lanes, count(owner)::integer AS owned, min(position) AS position,
         max(epoch) AS epoch, min(waiting_since) AS waiting_since,
         string_agg(DISTINCT held_back_by, ', ') AS held_back_by, string_agg(DISTINCT locked_by, '; ') AS locked_by
    FROM ${schema}.lane_status GROUP BY subscription
), members AS (
  SELECT m.subscription, count(*)::integer AS members, array_agg(m.who ORDER BY m.number) AS names
    FROM ${schema}.member m
    JOIN pg_locks k ON k.locktype = 'advisory' AND k.granted AND k.objsubid = 2
      AND k.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND k.classid = '${schema}.member'::regclass AND k.objid = m.number::bigint::oid
   GROUP BY m.subscription
), waiting AS (
  SELECT p.subscription, count(*) FILTER (WHERE p.state = 'parked')::integer AS parked,
         count(*) FILTER (WHERE p.state <> 'parked')::integer AS set_aside
    FROM ${schema}.parked p GROUP BY p.subscription
)
SELECT s.name, s.target, s.live, s.log, s.ordering, s.state, s.note,
       n.lanes, n.owned AS lanes_owned, coalesce(m.members, 0) AS members, m.names AS member_names,
       n.position,
       greatest(0, coalesce(pg_sequence_last_value(l.sequence), 0) - n.position)
         * (n.waiting_since IS NOT NULL)::integer AS lag_positions,
       n.waiting_since,
       greatest(interval '0', clock_timestamp() - n.waiting_since) AS lag,
       coalesce(w.parked, 0) AS parked_keys, coalesce(w.set_aside, 0) AS set_aside_keys,
       n.held_back_by, n.epoch, s.generation, s.created_at, s.id, n.locked_by
  FROM ${schema}.subscription s
  JOIN ${schema}.log l ON l.name = s.log
  JOIN lanes n ON n.subscription = s.id
  LEFT JOIN members m ON m.subscription = s.id
  LEFT JOIN waiting w ON w.subscription = s.id;

COMMENT ON VIEW ${schema}.subscription_status IS
  'Baton: every subscription: state, members, lanes, lag in positions and time, parked keys, whom it waits for.';
