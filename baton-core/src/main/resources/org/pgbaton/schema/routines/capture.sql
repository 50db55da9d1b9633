-- Captures: the mark, and their view.

-- The identity of the cluster, without its timeline: a promoted standby goes on with the same WAL.
CREATE OR REPLACE FUNCTION ${schema}.system() RETURNS text
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $function$
  SELECT split_part(${schema}.timeline(), '/', 1)
$function$;

-- Moves the mark, in the transaction that wrote the changes, under the guard of the capture's leadership.
CREATE OR REPLACE FUNCTION ${schema}.advance_capture(capture_name text, from_lsn pg_lsn, from_ordinal bigint, to_lsn pg_lsn, to_ordinal bigint,
  acknowledge pg_lsn, written bigint, committed timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  -- Changes that are acknowledged must be there after a crash, whatever the role's default is.
  IF current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  UPDATE ${schema}.capture
     SET commit_lsn = to_lsn, ordinal = to_ordinal, acknowledged = greatest(acknowledged, acknowledge),
         changes = changes + written, changed_at = coalesce(committed, changed_at)
   WHERE name = capture_name AND commit_lsn = from_lsn AND ordinal = from_ordinal;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING
      ERRCODE = 'YB001',
      MESSAGE = format('the mark of capture %s is not at %s, change %s, any more', capture_name, from_lsn, from_ordinal);
  END IF;
END
$function$;

CREATE OR REPLACE VIEW ${schema}.capture_status AS
SELECT c.name,
       CASE WHEN c.acknowledged IS NOT NULL AND s.slot_name IS NULL THEN 'lost'
            WHEN s.wal_status = 'lost' THEN 'lost'
            WHEN c.problem IS NOT NULL THEN 'stopped'
            WHEN c.paused THEN 'paused'
            WHEN s.active THEN 'running'
            ELSE 'waiting' END AS state,
       c.log, c.tables, c.operations, c.publication, c.own_publication, c.slot, c.changes, c.changed_at,
       c.commit_lsn, c.ordinal, c.acknowledged,
       l.holder AS owner, l.epoch,
       s.active, s.active_pid, s.wal_status, s.safe_wal_size,
       CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_wal_lsn_diff(pg_current_wal_lsn(), s.restart_lsn) END::bigint AS retained_bytes,
       CASE WHEN pg_is_in_recovery() THEN NULL
            ELSE pg_wal_lsn_diff(pg_current_wal_lsn(), s.confirmed_flush_lsn) END::bigint AS behind_bytes,
       c.problem, c.problem_since, c.created_at, c.warning,
       (SELECT count(*) FROM ${schema}.capture_gap g WHERE g.capture = c.name AND g.settled_at IS NULL AND g.suspect IS NULL) AS gaps
  FROM ${schema}.capture c
  LEFT JOIN pg_replication_slots s ON s.slot_name = c.slot AND s.database = current_database()
  LEFT JOIN ${schema}.leader_status l ON l.name = 'capture/' || c.name;

COMMENT ON VIEW ${schema}.capture_status IS 'Baton: each capture, who reads for it, and how much WAL its slot retains.';
