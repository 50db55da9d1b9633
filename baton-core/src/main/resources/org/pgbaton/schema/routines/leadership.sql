-- Leaderships: epochs, the guard, who leads.

-- An epoch that starts again at one, or goes back, would let an old token pass. delete_leadership() is the way to delete
-- a row: it makes sure that nobody uses it.
CREATE OR REPLACE FUNCTION ${schema}.keep_leadership() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  IF tg_op = 'DELETE' AND current_setting('baton.deletes_leadership', true) = 'yes' THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION USING
    ERRCODE = 'YB002',
    MESSAGE = format('%s of leadership refused: its epochs must never start again or go back', tg_op),
    HINT = 'SELECT ${name}.delete_leadership(…), or ''baton leaderships delete'', deletes one that nobody uses.';
END
$function$;

CREATE OR REPLACE TRIGGER keep_leadership BEFORE DELETE OR TRUNCATE ON ${schema}.leadership
  FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.keep_leadership();

CREATE OR REPLACE TRIGGER keep_epoch BEFORE UPDATE ON ${schema}.leadership
  FOR EACH ROW WHEN (new.epoch < old.epoch) EXECUTE FUNCTION ${schema}.keep_leadership();

-- The next epoch: above every epoch that this database ever gave out. It jumps when the database's history branched (a
-- promotion, a restore), because the other branch may have given out more than we know; and when a row has an epoch
-- that did not come from here. A jump is so wide that nobody who draws at the same time can be beyond it.
CREATE OR REPLACE FUNCTION ${schema}.next_epoch(here text, above bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  known text;
  drawn bigint;
BEGIN
  SELECT h.timeline INTO STRICT known FROM ${schema}.epoch_history h;
  IF known = here THEN
    drawn := nextval('${schema}.epoch');
    IF drawn > above THEN
      RETURN drawn;
    END IF;
  END IF;
  SELECT h.timeline INTO STRICT known FROM ${schema}.epoch_history h FOR UPDATE;
  SELECT e.last_value INTO STRICT drawn FROM ${schema}.epoch e;
  IF known NOT IN (here, 'none') OR drawn <= above THEN
    PERFORM setval('${schema}.epoch', ((greatest(drawn, above) >> 32) + 1) << 32, false);
  END IF;
  IF known <> here THEN
    UPDATE ${schema}.epoch_history SET timeline = here;
  END IF;
  RETURN nextval('${schema}.epoch');
END
$function$;
REVOKE ALL ON FUNCTION ${schema}.next_epoch(text, bigint) FROM PUBLIC;

-- Shows the session as a candidate, for as long as it lives. False if the row has just been deleted, or is being deleted:
-- register anew. The lock comes first; a deletion that did not see it has committed, and the row is gone.
CREATE OR REPLACE FUNCTION ${schema}.enrol(leadership_id integer) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  class integer := ${schema}.lock_class('${schema}.leadership'::regclass);
BEGIN
  IF NOT pg_try_advisory_lock_shared(class, leadership_id) THEN
    RETURN false;
  END IF;
  IF EXISTS (SELECT FROM ${schema}.leadership l WHERE l.id = leadership_id) THEN
    RETURN true;
  END IF;
  PERFORM pg_advisory_unlock_shared(class, leadership_id);
  RETURN false;
END
$function$;

-- Deletes a leadership, and the schedule of that name. Returns 'deleted', 'none' if there is none of that name, or 'used'
-- if somebody leads it or stands by for it, or a guarded transaction of its last term is open. Epochs come from one
-- sequence, so those of a leadership that is made anew are above all that it had.
CREATE OR REPLACE FUNCTION ${schema}.delete_leadership(leadership text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  present ${schema}.leadership;
BEGIN
  SELECT l.* INTO present FROM ${schema}.leadership l WHERE l.name = leadership;
  IF NOT FOUND THEN
    RETURN 'none';
  END IF;
  IF NOT pg_try_advisory_xact_lock(${schema}.lock_class('${schema}.leadership'::regclass), present.id)
     OR NOT pg_try_advisory_xact_lock(present.key) THEN
    RETURN 'used';
  END IF;
  PERFORM set_config('lock_timeout', '1s', true);
  PERFORM set_config('baton.deletes_leadership', 'yes', true);
  -- A sequence that was restored may be below the row's epoch, which nobody remembers afterwards.
  PERFORM ${schema}.next_epoch(${schema}.timeline(), present.epoch);
  DELETE FROM ${schema}.leadership l WHERE l.id = present.id;
  IF NOT FOUND THEN
    RETURN 'none';
  END IF;
  DELETE FROM ${schema}.schedule s WHERE s.name = leadership;
  PERFORM set_config('baton.deletes_leadership', '', true);
  RETURN 'deleted';
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
  RETURN 'used';
END
$function$;
REVOKE ALL ON FUNCTION ${schema}.delete_leadership(text) FROM PUBLIC;

-- The gate between guarded transactions, which share it, and the next leader, which takes it exclusively. Row locks are
-- not fair: without the gate a stream of short transactions could keep the next leader out for ever. The gate's number
-- is the row's number, negated.
CREATE OR REPLACE FUNCTION ${schema}.gate(leadership_id integer, alone boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  IF alone THEN
    PERFORM pg_advisory_xact_lock(${schema}.lock_class('${schema}.leadership'::regclass), -leadership_id);
  ELSE
    PERFORM pg_advisory_xact_lock_shared(${schema}.lock_class('${schema}.leadership'::regclass), -leadership_id);
  END IF;
END
$function$;

-- Called by the holder of the lock. If it returns no row, a guarded transaction still holds the row: call again. A row that
-- was deleted meanwhile is an error, or the holder would call for ever and keep the lock.
CREATE OR REPLACE FUNCTION ${schema}.take_epoch(leadership_id integer, new_holder text, slice_ms integer)
RETURNS TABLE (epoch bigint, since timestamptz, vacant_for interval)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
#variable_conflict use_column
DECLARE
  here text := ${schema}.timeline();
BEGIN
  PERFORM set_config('lock_timeout', ${schema}.slice(slice_ms) || 'ms', true);
  PERFORM ${schema}.gate(leadership_id, true);
  RETURN QUERY
    UPDATE ${schema}.leadership l
       SET epoch = ${schema}.next_epoch(here, l.epoch),
           timeline = here,
           previous_holder = l.holder,
           holder = new_holder,
           backend_pid = pg_backend_pid(),
           since = clock_timestamp(),
           vacant_for = clock_timestamp() - l.released_at,
           released_at = NULL,
           changes = l.changes + 1
     WHERE l.id = leadership_id
    RETURNING l.epoch, l.since, l.vacant_for;
  IF NOT FOUND AND leadership_id <> 0 THEN -- 0: only to try the function
    RAISE EXCEPTION USING ERRCODE = 'serialization_failure', MESSAGE = 'the leadership was deleted: register it anew';
  END IF;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
  RETURN;
END
$function$;

-- Called by a holder that leaves in good order. If a guarded transaction holds the row, the holder does not wait for
-- it.
CREATE OR REPLACE FUNCTION ${schema}.release_epoch(leadership_id integer, my_epoch bigint) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  PERFORM set_config('lock_timeout', '20ms', true);
  -- Only people read this, so the commit need not wait for the disk.
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE ${schema}.leadership
     SET released_at = clock_timestamp()
   WHERE id = leadership_id AND epoch = my_epoch;
  RETURN FOUND;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
  RETURN false;
END
$function$;

-- Returns a row if it is too soon for a run: the run that began last, and when the next may begin. A start that lies
-- further in the future than the pause was written by a wrong clock, and does not count.
CREATE OR REPLACE FUNCTION ${schema}.next_run(leadership_id integer, at_most_every_ms bigint)
RETURNS TABLE (began timestamptz, by_whom text, ended_well boolean, next timestamptz, wait_ms bigint)
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $function$
  SELECT r.began, r.by_whom, r.ended_well, r.began + r.pause,
         ceil(extract(epoch FROM r.began + r.pause - clock.now) * 1000)::bigint
    FROM (SELECT clock_timestamp() AS now) clock,
         ${schema}.leadership l,
         LATERAL (VALUES (l.ran_at, l.ran_by, true, at_most_every_ms * interval '1 millisecond'),
                         (l.rest_from, l.rest_by, l.rest_from IS NOT DISTINCT FROM l.ran_at, l.rest_for))
                 r (began, by_whom, ended_well, pause)
   WHERE l.id = leadership_id
     AND r.began + r.pause > clock.now AND r.began <= clock.now + r.pause
   ORDER BY r.began + r.pause DESC
   LIMIT 1
$function$;

-- Called by the leader before its work begins: no other run may begin for so long.
CREATE OR REPLACE FUNCTION ${schema}.begin_run(leadership_id integer, my_epoch bigint, at_least_for_ms bigint) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  UPDATE ${schema}.leadership
     SET rest_from = since, rest_for = at_least_for_ms * interval '1 millisecond', rest_by = holder
   WHERE id = leadership_id AND epoch = my_epoch;
  RETURN FOUND;
END
$function$;

-- Called by the leader when its work has ended well. False if another leads by now, or a guarded transaction holds the
-- row.
CREATE OR REPLACE FUNCTION ${schema}.finish_run(leadership_id integer, my_epoch bigint, slice_ms integer) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  PERFORM set_config('lock_timeout', ${schema}.slice(slice_ms) || 'ms', true);
  UPDATE ${schema}.leadership
     SET ran_at = since, ran_by = holder
   WHERE id = leadership_id AND epoch = my_epoch AND released_at IS NULL;
  RETURN FOUND;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
  RETURN false;
END
$function$;

-- The guard: puts a term into the caller's own transaction. It locks the epoch's row until the transaction ends, so the
-- next holder waits for the commit. If there is a next holder already, the guard finds no row. If the caller freezes
-- with the transaction idle, the server ends it after the lease (at least a second, at most a day). Call it inside a
-- transaction, from any language: BEGIN; SELECT baton.guard('reports', 42); …; COMMIT;
CREATE OR REPLACE FUNCTION ${schema}.guard(leadership text, my_epoch bigint, lease interval DEFAULT '10 s') RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  present ${schema}.leadership;
  limit_ms bigint := least(greatest(coalesce(extract(epoch FROM lease), 10) * 1000, 1000), 86400000);
  already_ms bigint := extract(epoch FROM current_setting('idle_in_transaction_session_timeout')::interval) * 1000;
BEGIN
  IF already_ms = 0 OR already_ms > limit_ms THEN
    PERFORM set_config('idle_in_transaction_session_timeout', limit_ms::text, true);
  END IF;
  PERFORM ${schema}.gate(l.id, false) FROM ${schema}.leadership l WHERE l.name = leadership;
  PERFORM 1 FROM ${schema}.leadership l
    WHERE l.name = leadership AND l.epoch = my_epoch AND l.released_at IS NULL
      AND l.timeline = ${schema}.timeline()
    FOR SHARE;
  IF NOT FOUND THEN
    SELECT l.* INTO present FROM ${schema}.leadership l WHERE l.name = leadership;
    RAISE EXCEPTION USING
      ERRCODE = 'YB001',
      MESSAGE = format('epoch %s of leadership %L is over: %s', my_epoch, leadership,
          CASE WHEN present.id IS NULL THEN 'nobody ever led it here'
               WHEN present.epoch <> my_epoch THEN 'epoch ' || present.epoch || ' leads now'
               WHEN present.released_at IS NOT NULL THEN 'it was released'
               ELSE 'the database has been promoted or restored since' END),
      HINT = 'Roll back and stop working: another process is or will be doing this job.';
  END IF;
END
$function$;

-- Granted to roles that lead. Others could keep the next leader out with it.
REVOKE ALL ON FUNCTION ${schema}.guard(text, bigint, interval) FROM PUBLIC;

-- The locks show who is alive; no row has to be renewed. A candidate holds a shared lock on the row's number for as
-- long as it is there. The leader also holds the lock of the leadership's key.
CREATE OR REPLACE VIEW ${schema}.leader_status AS
WITH locks AS (
  SELECT classid, objid, objsubid, mode, pid
    FROM pg_locks
   WHERE locktype = 'advisory' AND granted
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
)
SELECT l.name,
       CASE WHEN h.pid IS NULL THEN 'vacant' ELSE 'led' END AS state,
       CASE WHEN h.ours THEN l.holder
            WHEN h.pid IS NOT NULL THEN coalesce(nullif(h.application_name, ''), 'another program') END AS holder,
       l.epoch,
       CASE WHEN h.ours THEN l.since END AS since,
       h.pid AS backend_pid,
       (SELECT count(*) FROM locks p
         WHERE p.objsubid = 2 AND p.classid = '${schema}.leadership'::regclass AND p.objid = l.id::bigint::oid
           AND p.pid IS DISTINCT FROM h.pid)::integer AS standbys,
       (SELECT array_agg(coalesce(nullif(s.application_name, ''), s.pid::text) ORDER BY s.backend_start)
          FROM locks p JOIN pg_stat_activity s ON s.pid = p.pid
         WHERE p.objsubid = 2 AND p.classid = '${schema}.leadership'::regclass AND p.objid = l.id::bigint::oid
           AND p.pid IS DISTINCT FROM h.pid) AS standby_names,
       l.previous_holder,
       l.since AS taken_over_at,
       l.vacant_for,
       l.released_at,
       l.changes,
       l.key
  FROM ${schema}.leadership l
  LEFT JOIN LATERAL (
    -- A process id can be used again. A session that began after the term did is another one.
    SELECT k.pid, a.application_name,
           k.pid = l.backend_pid AND (a.backend_start IS NULL OR a.backend_start <= l.since) AS ours
      FROM locks k LEFT JOIN pg_stat_activity a ON a.pid = k.pid
     WHERE k.objsubid = 1 AND k.mode = 'ExclusiveLock'
       AND k.classid::bigint = (l.key >> 32) & 4294967295
       AND k.objid::bigint = l.key & 4294967295
     LIMIT 1) h ON true;

COMMENT ON VIEW ${schema}.leader_status IS 'Baton: who leads, who waits, since when, under which epoch.';
