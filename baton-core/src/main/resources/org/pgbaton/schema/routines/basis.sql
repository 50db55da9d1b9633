-- Functions that need none of our tables, so that the numbered steps may call them. Applied before the steps, and again
-- after them with all other routines; see docs/decisions/0016-living-routines.md.

-- Where we are in the history of the database: its identity and its timeline. A promotion changes the timeline, a
-- restore into another cluster changes the identity. The timeline is read from the WAL position, because
-- pg_control_checkpoint() still shows the old one for some time after a promotion. Some managed services refuse these
-- functions; then the timeline is left out. The function runs with the owner's rights, so that every caller gets the
-- same answer.
CREATE OR REPLACE FUNCTION ${schema}.timeline() RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  RETURN (SELECT system_identifier FROM pg_control_system())
      || '/' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8);
EXCEPTION WHEN insufficient_privilege OR undefined_function OR feature_not_supported THEN
  RETURN 'unknown';
END
$function$;

-- The first of the two integers of an advisory lock for a row of a table: the table's OID, as a signed number.
CREATE OR REPLACE FUNCTION ${schema}.lock_class(relation regclass) RETURNS integer
LANGUAGE sql STABLE AS $function$
  SELECT pg_catalog.int4(pg_catalog.int8(relation::pg_catalog.oid) OPERATOR(pg_catalog.-)
    CASE WHEN pg_catalog.int8(relation::pg_catalog.oid) OPERATOR(pg_catalog.>) 2147483647::pg_catalog.int8
         THEN 4294967296::pg_catalog.int8 ELSE 0::pg_catalog.int8 END)
$function$;

-- Waits for a session lock without holding back VACUUM: in slices, each a transaction of its own. The slice stays below
-- deadlock_timeout, so that no deadlock check runs and no lock wait is logged.
--
-- The lock waited for is a transaction lock inside the block, because a grant can race the time-out: the block's
-- rollback frees it for certain. A session lock taken there would leak. After the block the session lock cannot wait any
-- more, since this transaction holds the lock.
CREATE OR REPLACE FUNCTION ${schema}.await_lock(lock_key bigint, slice_ms integer) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  PERFORM set_config('lock_timeout', ${schema}.slice(slice_ms) || 'ms', true);
  BEGIN
    PERFORM pg_advisory_xact_lock(lock_key);
  EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
    RETURN false;
  END;
  PERFORM pg_advisory_lock(lock_key);
  RETURN true;
END
$function$;

CREATE OR REPLACE FUNCTION ${schema}.slice(slice_ms integer) RETURNS integer
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
  SELECT greatest(1, least(slice_ms,
      floor(0.8 * 1000 * extract(epoch FROM current_setting('deadlock_timeout')::interval))))::integer
$function$;

-- The lane of a key: the first four bytes of its SHA-256 as an unsigned number, modulo the number of lanes. Never changes.
CREATE OR REPLACE FUNCTION ${schema}.lane_of(key text, lanes integer) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $function$
  SELECT pg_catalog.int4((
      (pg_catalog.int8(pg_catalog.get_byte(h, 0)) OPERATOR(pg_catalog.<<) 24)
        OPERATOR(pg_catalog.|) pg_catalog.int8((pg_catalog.get_byte(h, 1) OPERATOR(pg_catalog.<<) 16)
          OPERATOR(pg_catalog.|) (pg_catalog.get_byte(h, 2) OPERATOR(pg_catalog.<<) 8) OPERATOR(pg_catalog.|) pg_catalog.get_byte(h, 3)))
      OPERATOR(pg_catalog.%) pg_catalog.int8(lanes))
    FROM pg_catalog.sha256(pg_catalog.convert_to(key, 'UTF8')) AS h
$function$;

-- Takes a table lock that conflicts with writers without making them queue behind it for long: it tries for a tenth of
-- a second, lets the waiting writers pass, and tries again. The lock is held until the transaction ends.
CREATE OR REPLACE FUNCTION ${schema}.lock_briefly(relation regclass, mode text, patience interval DEFAULT '1 min') RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  before text := current_setting('lock_timeout');
  give_up timestamptz := clock_timestamp() + patience;
  holders text;
BEGIN
  LOOP
    BEGIN
      PERFORM set_config('lock_timeout', '100ms', true);
      EXECUTE format('LOCK TABLE %s IN %s MODE', relation, mode);
      PERFORM set_config('lock_timeout', before, true);
      RETURN;
    EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
      NULL;
    END;
    IF clock_timestamp() > give_up THEN
      SELECT string_agg(DISTINCT coalesce(nullif(a.application_name, ''), nullif(a.backend_type, 'client backend'), 'a transaction')
                        || coalesce(' (process ' || k.pid || ', open for ' || date_trunc('second', clock_timestamp() - a.xact_start) || ')',
                                    ' (prepared)'), ', ')
        INTO holders
        FROM pg_locks k LEFT JOIN pg_stat_activity a ON a.pid = k.pid
       WHERE k.locktype = 'relation' AND k.relation = lock_briefly.relation AND k.granted
         AND k.pid IS DISTINCT FROM pg_backend_pid() AND (k.mode NOT IN ('AccessShareLock', 'RowShareLock') OR lock_briefly.mode = 'ACCESS EXCLUSIVE');
      RAISE EXCEPTION USING ERRCODE = 'lock_not_available',
        MESSAGE = format('%s is in use: %s', relation, coalesce(holders, 'somebody comes and goes all the time')),
        HINT = 'Nothing was changed. Wait until it has ended, or end it, and try again.';
    END IF;
    PERFORM pg_sleep(0.2 + 0.2 * random());
  END LOOP;
END
$function$;

-- The caller of a function that works with its owner's rights: the role that was set, else the user of the session.
CREATE OR REPLACE FUNCTION ${schema}.caller() RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
  SELECT CASE WHEN current_setting('role') = 'none' THEN session_user::text ELSE current_setting('role') END
$function$;
