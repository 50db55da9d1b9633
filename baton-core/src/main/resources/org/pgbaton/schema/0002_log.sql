-- Logs: append-only tables that any SQL client can write to.
-- compatible-from: 1

-- One row for each log. The table has the log's name; its OID is the first number of the log's advisory locks:
--   (log, lane)  shared by every writer that has a row of that lane in an open transaction
--   (log, -1)    the doorbell: tried by writers, held by one of the readers that sleep, who hear the channel 'baton.<OID>'
CREATE TABLE ${schema}.log (
  name           text     PRIMARY KEY CHECK (name ~ '^[a-z_][a-z0-9_]{0,39}$'),
  relation       regclass NOT NULL UNIQUE,
  sequence       regclass NOT NULL UNIQUE,
  lanes          integer  NOT NULL CHECK (lanes BETWEEN 1 AND 1024),
  retention      interval CHECK (retention >= interval '0'),  -- null: rows are kept for ever
  retained_above bigint   NOT NULL DEFAULT 0,                 -- everything up to here has been removed
  created_at     timestamptz NOT NULL DEFAULT clock_timestamp()
);

COMMENT ON TABLE ${schema}.log IS 'Baton: one row for each log; made by create_log().';

-- Everything somebody asked for by hand: who, when, what, to what, why.
CREATE TABLE ${schema}.action (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  who     text NOT NULL,
  what    text NOT NULL,
  subject text NOT NULL,
  reason  text,
  detail  text
);

COMMENT ON TABLE ${schema}.action IS 'Baton: what operators did, and why.';
