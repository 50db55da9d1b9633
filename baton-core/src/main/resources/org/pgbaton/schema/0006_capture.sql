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
