-- Captures tell what they missed, and what they cannot tell.
-- compatible-from: 1

ALTER TABLE ${schema}.capture
  ADD COLUMN intact_lsn    pg_lsn,       -- up to here the publication and the tables were as capture_basis says
  ADD COLUMN intact_at     timestamptz,
  ADD COLUMN stuck_lsn     pg_lsn,       -- the change that holds it up, because it has no key or cannot be decoded; null: none does
  ADD COLUMN stuck_ordinal bigint,
  ADD COLUMN stuck_what    text,
  ADD COLUMN skip_lsn      pg_lsn,       -- such changes, up to this one, are passed over: an operator said so
  ADD COLUMN skip_ordinal  bigint,
  ADD COLUMN warning       text;

-- What a capture rests on, as it was when its reader began: the publication, and each table in it.
CREATE TABLE ${schema}.capture_basis (
  capture text NOT NULL REFERENCES ${schema}.capture (name) ON DELETE CASCADE,
  subject text NOT NULL,                 -- a table's full name; empty: the publication; a number: a partition
  aspect  text NOT NULL,
  state   text NOT NULL,
  PRIMARY KEY (capture, subject, aspect)
);

COMMENT ON TABLE ${schema}.capture_basis IS 'Baton: what captures rest on. Another state than this one is a gap.';

-- Changes that are in no log, as far as anybody can know.
CREATE TABLE ${schema}.capture_gap (
  id             integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  capture        text   NOT NULL REFERENCES ${schema}.capture (name) ON DELETE CASCADE,
  table_name     text,                   -- null: all of its tables
  what           text   NOT NULL,
  from_lsn       pg_lsn,                 -- null: nobody knows
  from_at        timestamptz,
  to_lsn         pg_lsn,                 -- null: it goes on
  to_at          timestamptz,
  suspect        bigint,                 -- the transaction that will tell whether there is a gap at all; null: there is
  found_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  settled_at     timestamptz,            -- an operator has dealt with it
  settled_by     text,
  settled_reason text
);

CREATE UNIQUE INDEX capture_gap_open ON ${schema}.capture_gap (capture, coalesce(table_name, ''), what)
  WHERE to_lsn IS NULL;
CREATE UNIQUE INDEX capture_gap_suspect ON ${schema}.capture_gap (capture, table_name, suspect) WHERE suspect IS NOT NULL;

COMMENT ON TABLE ${schema}.capture_gap IS 'Baton: changes that captures missed, with their bounds.';
