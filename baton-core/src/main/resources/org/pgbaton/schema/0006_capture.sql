-- Captures: row changes from the WAL into a log, each once.
-- compatible-from: 1

-- One row for each capture: what it reads from, and its mark, which moves in the transaction that writes to the log.
CREATE TABLE ${schema}.capture (
  name            text   PRIMARY KEY CHECK (name ~ '^[a-z_][a-z0-9_]{0,39}$'),
  log             text   NOT NULL REFERENCES ${schema}.log (name),
  publication     text   NOT NULL,
  own_publication boolean NOT NULL,          -- made by Baton, and changed by it when the tables change
  slot            text   NOT NULL UNIQUE,
  system          text   NOT NULL,           -- the mark means something in the WAL of this system only
  tables          text[] NOT NULL,
  operations      text[] NOT NULL,
  commit_lsn      pg_lsn,                    -- the mark: everything up to this change is in the log
  ordinal         bigint NOT NULL DEFAULT 0, -- within the transaction that commits there
  acknowledged    pg_lsn,                    -- null: no slot yet. Recorded before it is told: a slot beyond this one is not ours any more
  changes         bigint NOT NULL DEFAULT 0,
  changed_at      timestamptz,               -- when the last one was committed
  paused          boolean NOT NULL DEFAULT false,
  problem         text,
  problem_since   timestamptz,
  created_at      timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50);

COMMENT ON TABLE ${schema}.capture IS 'Baton: one row for each capture, with its slot and its mark.';

-- Rows that were there before: a table at a time, in chunks by its primary key.
CREATE TABLE ${schema}.capture_snapshot (
  id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  capture      text   NOT NULL REFERENCES ${schema}.capture (name) ON DELETE CASCADE,
  table_name   text   NOT NULL,
  after_key    text[],                      -- the primary key of the last row that is in the log
  sent         bigint NOT NULL DEFAULT 0,
  estimated    bigint NOT NULL,             -- rows of the table when it was asked for, as far as statistics know
  requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  begun_at     timestamptz,
  done_at      timestamptz
) WITH (fillfactor = 50);

CREATE UNIQUE INDEX capture_snapshot_open ON ${schema}.capture_snapshot (capture, table_name) WHERE done_at IS NULL;

COMMENT ON TABLE ${schema}.capture_snapshot IS 'Baton: rows that captures send although they have not changed, and how far that is.';

-- The identity of the cluster, without its timeline: a promoted standby goes on with the same WAL.
CREATE FUNCTION ${schema}.system() RETURNS text
LANGUAGE sql VOLATILE AS $function$
  SELECT split_part(${schema}.timeline(), '/', 1)
$function$;

-- Moves the mark. Under the guard of the capture's leadership, in the transaction that wrote the changes.
CREATE FUNCTION ${schema}.advance_capture(capture_name text, from_lsn pg_lsn, from_ordinal bigint, to_lsn pg_lsn, to_ordinal bigint,
  acknowledge pg_lsn, written bigint, committed timestamptz) RETURNS void
LANGUAGE plpgsql AS $function$
BEGIN
  -- What is acknowledged must be there after a crash, whatever the role's default is.
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

CREATE VIEW ${schema}.capture_status AS
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
       c.problem, c.problem_since, c.created_at
  FROM ${schema}.capture c
  LEFT JOIN pg_replication_slots s ON s.slot_name = c.slot AND s.database = current_database()
  LEFT JOIN ${schema}.leader_status l ON l.name = 'capture/' || c.name;

COMMENT ON VIEW ${schema}.capture_status IS 'Baton: each capture, who reads for it, and how much WAL its slot retains.';
