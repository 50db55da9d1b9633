-- Schedules: what is due when, and which process ran it.
-- compatible-from: 1

-- One row for each schedule. The leader of the leadership of the same name claims due times, one after the other.
CREATE TABLE ${schema}.schedule (
  name       text        PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 200),
  cron       text        NOT NULL,
  zone       text        NOT NULL,
  missed     text        NOT NULL CHECK (missed IN ('skip', 'once')),
  last_due   timestamptz,             -- the last due time that was claimed; no other at or before it can be
  next_due   timestamptz NOT NULL,    -- the first due time that nobody has claimed yet
  CHECK (next_due > last_due)
) WITH (fillfactor = 50);

COMMENT ON TABLE ${schema}.schedule IS 'Baton: one row for each schedule, with the due time that is claimed next.';

-- The last runs of each schedule. Whoever claims a due time removes the oldest.
CREATE TABLE ${schema}.schedule_run (
  schedule text        NOT NULL REFERENCES ${schema}.schedule (name) ON DELETE CASCADE,
  due      timestamptz NOT NULL,
  epoch    bigint      NOT NULL,
  who      text        NOT NULL,
  started  timestamptz,
  ended    timestamptz,
  outcome  text        NOT NULL CHECK (outcome IN ('running', 'done', 'failed', 'lost', 'missed')),
  error    text,
  PRIMARY KEY (schedule, due)         -- also the last defence against a second run
);

COMMENT ON TABLE ${schema}.schedule_run IS 'Baton: the last runs of each schedule: due, started, ended, by whom, how they ended.';
COMMENT ON COLUMN ${schema}.schedule_run.outcome IS
  'Baton: lost = the process that ran it was lost, and nobody knows how the run ended; missed = it was not run.';
